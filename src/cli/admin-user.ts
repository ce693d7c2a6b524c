import type { CoreApp } from '../app/modules.ts'
import { commandLine, type User } from '../domains/accounts/index.ts'
import { randomPassword } from '../core/platform/crypto/crypto.ts'
import { type CommandInput, text } from './command.ts'
import { requireUser, withCore } from './with-core.ts'

export async function createUser({ values, config, print }: CommandInput): Promise<number> {
  const given = text(values, 'password')
  const settings = config()
  const password = given ?? randomPassword(settings.security.min_password_length)
  const input = {
    name: text(values, 'username')!,
    email: text(values, 'email')!,
    password,
    isAdmin: values['admin'] === true,
    mustChangePassword: values['must-change-password'] === true,
  }
  const user = await withCore(settings, (core) => core.users.create(commandLine, input))
  print(`Created the user ${user.name}${user.isAdmin ? ', a site administrator' : ''}.`)
  if (given === undefined) print(`Password: ${password}`)
  return 0
}

/** Tokens stay valid; cached password checks do not. */
export async function changePassword({ values, config, print }: CommandInput): Promise<number> {
  const given = text(values, 'password')
  const settings = config()
  const password = given ?? randomPassword(settings.security.min_password_length)
  await withCore(settings, async (core) => {
    const user = await requireUser(core, text(values, 'username')!)
    await core.users.edit(commandLine, user, { password, mustChangePassword: values['must-change-password'] === true })
  })
  print(given === undefined ? `Password: ${password}` : 'The password is changed.')
  return 0
}

const PAGE = 500

export async function listUsers({ values, config, print }: CommandInput): Promise<number> {
  const filter = values['admin'] === true ? { isAdmin: true } : {}
  await withCore(config(), async ({ users }) => {
    for (let page = 1, left = 1; left > 0; page++) {
      const { items, total } = await users.list(
        filter,
        { by: 'id', direction: 'asc' },
        { page, limit: PAGE, offset: (page - 1) * PAGE },
      )
      for (const user of items)
        print(
          [
            user.id,
            user.name,
            user.email,
            user.isAdmin ? 'admin' : 'user',
            user.isActive && !user.isLoginProhibited ? 'active' : 'blocked',
          ].join('\t'),
        )
      left = total - page * PAGE
    }
  })
  return 0
}

export async function deleteUser({ values, config, print }: CommandInput): Promise<number> {
  const name = text(values, 'username')!
  await withCore(config(), async (core) => {
    await core.accountRemoval.delete(commandLine, await requireUser(core, name), { purge: values['purge'] === true })
  })
  print(`Deleted the user ${name}.`)
  return 0
}

/** Prints `on` or `off`. */
export async function twoFactor({ values, config, print }: CommandInput): Promise<number> {
  const isOn = await withCore(config(), async (core) => {
    const { id } = await requireUser(core, text(values, 'username')!)
    if (values['disable'] === true) await disableTwoFactor(core, id)
    return (await core.twoFactor.isEnabled(id)) || (await core.passkeys.isEnrolled(id))
  })
  print(isOn ? 'on' : 'off')
  return 0
}

/** One-time codes and passkeys. */
async function disableTwoFactor({ passkeys, twoFactor }: CoreApp, id: User['id']): Promise<void> {
  const deleted = await passkeys.delete(commandLine, id)
  if (deleted === 0 || (await twoFactor.isEnabled(id))) await twoFactor.disable(commandLine, id)
}
