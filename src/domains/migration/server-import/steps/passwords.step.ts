import { randomPassword } from '../../../../core/platform/crypto/crypto.ts'
import { numberOf } from '../../../../core/platform/json-members.ts'
import { lineOf } from '../../imports/sources/read.ts'
import { once, part, send, type ServerContext, type ServerStep, sourceAccounts } from '../server-context.ts'

const LENGTH = 20

/**
 * One-time passwords for accounts that have none, if a file for them is given. This step is the last one: an account
 * that has to change its password can do nothing else.
 */
export const passwordsStep: ServerStep = {
  name: 'passwords',
  async run(context) {
    const { isDryRun, signInSources, writePassword } = context
    if (writePassword === undefined) return isDryRun ? undefined : reportUnused(context)
    for await (const { id, login, name, value } of sourceAccounts(context, 'account')) {
      if (signInSources.has(numberOf(value['source_id']))) continue
      await once(context, { kind: 'password', id, target: name, value: 'one-time' }, async () => {
        const password = `${randomPassword(LENGTH)}aA1!`
        // NOTE: first: a password that is lost in a crash cannot be read again. The last line of an account counts.
        writePassword(name, password)
        const body = { password, must_change_password: true }
        const what = `password of ${login}`
        await send(context, { method: 'PATCH', path: `/admin/users/${part(name)}`, body, what })
      })
    }
  },
}

/** NOTE: in every run: an earlier one may have been killed before its report. */
async function reportUnused(context: ServerContext): Promise<void> {
  const { journal, report, signInSources, target } = context
  const unused = new Set<string>()
  for await (const page of target.pages('/admin/users'))
    for (const user of page) if (Date.parse(lineOf(user['last_login'])) <= 0) unused.add(lineOf(user['login']))
  for await (const { id, name, value } of sourceAccounts(context, 'account')) {
    if (!unused.has(name) || signInSources.has(numberOf(value['source_id']))) continue
    const given = await journal.find({ kind: 'password', source_id: String(id) })
    if (given === undefined) report.needsPassword(name)
  }
}
