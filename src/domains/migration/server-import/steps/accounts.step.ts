import { randomUUID } from 'node:crypto'
import { randomPassword } from '../../../../core/platform/crypto/crypto.ts'
import { type Members, numberOf } from '../../../../core/platform/json-members.ts'
import { PgpError, readPgpKeys } from '../../../../core/platform/pgp/index.ts'
import { ForgeError } from '../../imports/forge-error.ts'
import { lineOf } from '../../imports/sources/read.ts'
import { grantAccess, removeAccess, fingerprintOfLine } from '../access.ts'
import {
  isStillEmpty,
  knownList,
  once,
  part,
  pick,
  send,
  type ServerContext,
  type ServerStep,
  type SourceAccount,
  sourceAccounts,
  sourceItems,
  targetName,
} from '../server-context.ts'
import { download } from './avatars.step.ts'

const PASSWORD_LENGTH = 40
const PROFILE = ['full_name', 'description', 'location', 'website', 'pronouns', 'visibility']

/** Accounts, which nobody can sign in to before an administrator sets a password, unless their source is mapped. */
export const accountsStep: ServerStep = {
  name: 'accounts',
  async run(context) {
    for await (const account of sourceAccounts(context, 'account')) {
      const { id, name, value } = account
      const read = pick(value, [...PROFILE, 'is_admin', 'email', 'created', 'source_id', 'login_name'])
      await once(context, { kind: 'account', id, target: name, value: read }, () => writeAccount(context, account))
      if (context.isDryRun) await reportTakenAddress(context, account)
      else if ((await context.target.find(`/users/${part(name)}`)) === undefined) {
        context.names.imported.delete(account.login.toLowerCase())
        context.names.accounts.delete(account.login.toLowerCase())
      }
    }
  },
}

async function writeAccount(context: ServerContext, account: SourceAccount): Promise<void> {
  const { target } = context
  const { name, login, value } = account
  const path = `/admin/users/${part(name)}`
  const found = (await target.find(`/users/${part(name)}`)) ?? (await createAccount(context, account))
  if (found === undefined) return
  const email = lineOf(value['email'])
  if (!isSameAddress(found, email))
    await send(context, { method: 'PATCH', path, body: { email }, what: `e-mail address ${email} of ${login}` })
  const body = { ...pick(value, PROFILE), admin: value['is_admin'] === true }
  await send(context, { method: 'PATCH', path, body, what: `account ${login}` })
}

/** Undefined if this server refuses it. An account whose address another one has here gets an address of its own. */
async function createAccount(
  context: ServerContext,
  { name, login, value }: SourceAccount,
): Promise<Members | undefined> {
  const { report, signInSources } = context
  const what = `account ${login}`
  const theirs = numberOf(value['source_id'])
  const source = signInSources.get(theirs)
  if (theirs !== 0 && source === undefined)
    report.secret(`${what}: sign-in source ${theirs} is not mapped (--source ${theirs}=ID)`)
  const signIn = source !== undefined && { source_id: source, login_name: lineOf(value['login_name']) }
  const email = lineOf(value['email'])
  const body = {
    username: name,
    email: (await findAddressOwner(context, email)) === undefined ? email : `${randomUUID()}@localhost`,
    created_at: value['created'],
    must_change_password: false,
    ...(signIn || { password: `${randomPassword(PASSWORD_LENGTH)}aA1!` }),
  }
  if (!(await send(context, { method: 'POST', path: '/admin/users', body, what }))) return undefined
  return { email: body.email }
}

/** The account of this server that has the address. */
async function findAddressOwner({ target }: ServerContext, address: string): Promise<string | undefined> {
  const found = address === '' ? [] : await target.list(`/admin/emails/search?q=${part(address)}`)
  const own = found.find((email) => isSameAddress(email, address))
  return own && lineOf(own['username'])
}

const isSameAddress = ({ email }: Members, address: string): boolean =>
  lineOf(email).toLowerCase() === address.toLowerCase()

/** A dry run names the addresses that other accounts have. */
async function reportTakenAddress(context: ServerContext, { login, value }: SourceAccount): Promise<void> {
  const address = lineOf(value['email'])
  const owner = await findAddressOwner(context, address)
  if (owner === undefined || owner.toLowerCase() === targetName(context, login)?.toLowerCase()) return
  context.report.omit(`e-mail address ${address} of ${login}: ${owner} has it on this server`)
}

/** Verified addresses; an address that nobody has confirmed proves nothing. */
export const emailsStep: ServerStep = {
  name: 'e-mail addresses',
  async run(context) {
    for await (const email of sourceItems(context, '/admin/emails')) {
      if (email['primary'] === true) continue
      const [address, login] = [lineOf(email['email']), lineOf(email['username'])]
      const name = context.isDryRun ? login : context.names.imported.get(login.toLowerCase())
      if (name === undefined) continue
      const what = `e-mail address ${address} of ${login}`
      if (email['verified'] !== true) {
        context.report.omit(`${what}: it is not verified`)
        continue
      }
      await once(context, { kind: 'email', id: address, target: name, value: [name] }, async () => {
        const own = await context.target.list('/user/emails', name)
        if (own.some((found) => lineOf(found['email']).toLowerCase() === address.toLowerCase())) return
        await send(context, { method: 'POST', path: '/user/emails', body: { emails: [address] }, as: name, what })
      })
    }
  },
}

const SETTINGS = ['hide_email', 'hide_activity', 'theme', 'language', 'diff_view_style']

export const settingsStep: ServerStep = {
  name: 'settings',
  async run(context) {
    for await (const { id, login, name } of sourceAccounts(context, 'account')) {
      const found = await context.source.find(`/user/settings?sudo=${part(login)}`, context.signal, [403, 404])
      if (found === undefined) continue
      const body = pick(found as Record<string, unknown>, SETTINGS)
      await once(context, { kind: 'settings', id, target: name, value: body }, async () => {
        await send(context, { method: 'PATCH', path: '/user/settings', body, as: name, what: `settings of ${login}` })
      })
    }
  },
}

/** Restrictions come last: the steps before act as the account. */
export const restrictionsStep: ServerStep = {
  name: 'restrictions of accounts',
  async run(context) {
    for await (const { id, login, name, value } of sourceAccounts(context, 'account')) {
      const body = pick(value, ['active', 'prohibit_login', 'restricted'])
      await once(context, { kind: 'restrictions', id, target: name, value: body }, async () => {
        const what = `restrictions of ${login}`
        await send(context, { method: 'PATCH', path: `/admin/users/${part(name)}`, body, what })
      })
    }
  },
}

/** Includes accounts that the other server no longer has, which have no keys there. */
async function* keyLists(context: ServerContext, list: string) {
  for await (const { id, login, name } of sourceAccounts(context, 'account'))
    yield { id, login, name, keys: await knownList(context, `/users/${part(login)}/${list}`) }
  for (const { id, name } of context.names.missing) yield { id, login: name, name, keys: [] }
}

export const sshKeysStep: ServerStep = {
  name: 'SSH keys',
  async run(context) {
    for await (const { id, login, name, keys } of keyLists(context, 'keys')) {
      if (keys === undefined || (await isStillEmpty(context, { kind: 'keys', id }, keys))) continue
      const read = keys.map((key) => pick(key, ['title', 'key', 'read_only']))
      const path = `/admin/users/${part(name)}/keys`
      const whatOf = (key: Members): string => `SSH key "${lineOf(key['title'])}" of ${login}`
      const access = {
        kind: `keys ${id}`,
        theirs: new Map(
          read.map((body) => [
            fingerprintOfLine(body['key']),
            { method: 'POST', path, body, what: whatOf(body) } as const,
          ]),
        ),
        ours: async () =>
          new Map(
            (await context.target.list(`/users/${part(name)}/keys`)).map((key) => [
              fingerprintOfLine(key['key']),
              { path: `${path}/${numberOf(key['id'])}`, what: whatOf(key) },
            ]),
          ),
      }
      await once(context, { kind: 'keys', id, target: name, value: read }, async () => {
        await removeAccess(context, access)
        await grantAccess(context, access)
      })
    }
  },
}

export const gpgKeysStep: ServerStep = {
  name: 'GPG keys',
  async run(context) {
    for await (const { id, login, name, keys } of keyLists(context, 'gpg_keys')) {
      if (keys === undefined || (await isStillEmpty(context, { kind: 'gpg-keys', id }, keys))) continue
      const read = keys.map((key) => pick(key, ['key_id', 'public_key']))
      await once(context, { kind: 'gpg-keys', id, target: name, value: read }, async () => {
        const whole = read.length > 0 ? await wholeKeys(context, login) : new Map<string, string>()
        const path = '/user/gpg_keys'
        const whatOf = (key: Members): string => `GPG key ${lineOf(key['key_id'])} of ${login}`
        const access = {
          kind: `gpg-keys ${id}`,
          theirs: new Map(
            read.map((key) => {
              const keyId = lineOf(key['key_id'])
              const body = { armored_public_key: whole.get(keyId) ?? armored(String(key['public_key'])) }
              return [keyId, { method: 'POST', path, body, as: name, what: whatOf(key) } as const]
            }),
          ),
          ours: async () =>
            new Map(
              (await context.target.list(`/users/${part(name)}/gpg_keys`)).map((key) => [
                lineOf(key['key_id']),
                { path: `${path}/${numberOf(key['id'])}`, as: name, what: whatOf(key) },
              ]),
            ),
        }
        await removeAccess(context, access)
        await grantAccess(context, access)
      })
    }
  },
}

/** The keys of an account by their ids, with their identities, which the API does not show. */
async function wholeKeys(context: ServerContext, login: string): Promise<ReadonlyMap<string, string>> {
  try {
    const text = (await download(context, `${context.from}/${part(login)}.gpg`)).toString('utf8')
    const keys = await readPgpKeys(text, context.core.clock.now())
    return new Map(keys.map(({ keyId, armored: key }) => [keyId, key]))
  } catch (error) {
    if (error instanceof ForgeError || error instanceof PgpError) return new Map()
    throw error
  }
}

const MAX_KEY = 1_000_000

/** Some servers give the bytes in base64 alone. */
function armored(key: string): string {
  if (key.includes('-----BEGIN')) return key.slice(0, MAX_KEY)
  const lines =
    key
      .slice(0, MAX_KEY)
      .replaceAll(/\s/g, '')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n${lines.join('\n')}\n-----END PGP PUBLIC KEY BLOCK-----\n`
}
