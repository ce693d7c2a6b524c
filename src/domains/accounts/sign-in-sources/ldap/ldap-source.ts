import { NAME_LENGTH } from '../../../../core/http/body/limits.ts'
import { FairQueue } from '../../../../core/platform/concurrency/fair-queue.ts'
import { unavailable } from '../../../../core/platform/errors.ts'
import type { ExternalProfile } from '../external-profile.ts'
import type { SignInSource } from '../sources.service.ts'
import { type Directory, type DirectoryTimes, withDirectory } from './connection.ts'
import { normalDn } from './distinguished-name.ts'
import type { Person } from './entries.ts'
import { fillDn } from './ldap-text.ts'
import { createPeople, type People } from './people.ts'

type LdapSource = SignInSource<'ldap'>

const TIMES: DirectoryTimes = { connect: 5_000, answer: 10_000 }

export type LdapSources = ReturnType<typeof createLdapSources>

/** Questions to the directories of sources. Every function throws unavailable when a directory does not answer. */
export function createLdapSources({ tuning }: { readonly tuning: Partial<DirectoryTimes> | undefined }) {
  const times = { ...TIMES, ...tuning }
  // The checks of one directory that is slow wait for each other, not for those of others.
  const queue = new FairQueue({
    what: 'passwords are being checked by the directory',
    atOnce: 64,
    atOncePerCaller: 16,
    maxWaiting: 256,
    maxWaitingPerCaller: 64,
  })

  /** Runs `work` on a connection that is bound to the account that searches. */
  const searching = <T>({ settings }: LdapSource, work: (people: People) => Promise<T>): Promise<T> =>
    withDirectory(settings, times, async (directory) => {
      await bindReader(directory, settings)
      return work(createPeople(directory, settings))
    })

  return {
    /** The profile of the person with this name and password; undefined if they are wrong. */
    verify: (source: LdapSource, login: string, password: string): Promise<ExternalProfile | undefined> => {
      if (!isLogin(login) || password === '') return Promise.resolve(undefined)
      return queue.run(String(source.id), () =>
        withDirectory(source.settings, times, async (directory) => {
          const people = createPeople(directory, source.settings)
          const person = await authenticate(directory, people, { source, login, password })
          return person && (await people.describe([person]))[0]
        }),
      )
    },

    /** The person with this name, by the account that searches. */
    lookUp: (source: LdapSource, login: string): Promise<Person | undefined> =>
      searching(source, (people) => people.find(login)),

    /** Works with a connection of the account that searches. Throws unavailable when the source cannot be searched. */
    search<T>(source: LdapSource, work: (people: People) => Promise<T>): Promise<T> {
      if (source.settings.user_search_base === '')
        throw unavailable(`the sign-in source ${source.name} has no user_search_base`)
      return searching(source, work)
    },
  }
}

/** NOTE: control characters are in no login name, and directories treat them in their own ways. */
const isLogin = (login: string): boolean => login.trim() !== '' && login.length <= NAME_LENGTH && !/\p{Cc}/u.test(login)

async function bindReader(directory: Directory, { bind_dn: dn, bind_password: password }: LdapSource['settings']) {
  if (dn !== '' && !(await directory.bind(dn, password)))
    throw unavailable('the directory refuses bind_dn and bind_password')
}

interface Attempt {
  readonly source: LdapSource
  readonly login: string
  readonly password: string
}

async function authenticate(
  directory: Directory,
  people: People,
  { source: { settings }, login, password }: Attempt,
): Promise<Person | undefined> {
  if (settings.user_dn === '') {
    await bindReader(directory, settings)
    const person = await people.find(login)
    if (person === undefined || !(await directory.bind(person.dn, password))) return undefined
    // The rest is read by the account that searches, which may see more than the user.
    await bindReader(directory, settings)
    return person
  }
  const name = fillDn(settings.user_dn, login)
  if (!(await directory.bind(name, password))) return undefined
  // With a name that is no DN, such as `%s@example.com`, the entry must be searched.
  const isDn = name.includes('=')
  const person = await people.find(login, isDn ? name : undefined)
  if (person !== undefined && isDn && normalDn(person.dn) !== normalDn(name)) return undefined
  if (settings.bind_dn !== '') await bindReader(directory, settings)
  return person
}
