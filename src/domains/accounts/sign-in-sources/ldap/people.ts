import type { ExternalProfile } from '../external-profile.ts'
import type { Directory } from './connection.ts'
import { normalDn } from './distinguished-name.ts'
import { attributesOf, binaryAttributesOf, type Person, readPerson } from './entries.ts'
import { createGroups } from './groups.ts'
import type { LdapSettings } from './ldap.model.ts'
import { escapeFilterValue, fillFilter, openFilter } from './ldap-text.ts'

/** Looks people up in a directory to which somebody is bound. */
export function createPeople(directory: Directory, settings: LdapSettings) {
  const wanted = { attributes: attributesOf(settings), binary: binaryAttributesOf(settings) }
  const groups = createGroups(directory, settings)

  /** The names of those people whom a filter of the settings selects. */
  async function selected(filter: string, people: readonly Person[]): Promise<ReadonlySet<string> | undefined> {
    if (filter === '') return undefined
    const names = people.map(({ loginName }) => `(${settings.username_attribute}=${escapeFilterValue(loginName)})`)
    const search = {
      base: settings.user_search_base || people[0]!.dn,
      filter: `(&${filter}(|${names.join('')}))`,
    }
    return new Set((await directory.names(search)).map(normalDn))
  }

  return {
    /** Undefined when nobody, or more than one entry, has the login name. `base` restricts the search to one entry. */
    async find(login: string, base?: string): Promise<Person | undefined> {
      const filter = fillFilter(settings.user_filter, login)
      const place = base === undefined ? { base: settings.user_search_base } : { base, baseOnly: true }
      const [entry, another] = await directory.find({ ...place, filter, ...wanted }, 2)
      return entry === undefined || another !== undefined ? undefined : readPerson(entry, settings)
    },

    /** Everybody who may sign in, in pages. */
    async *all(): AsyncIterable<{ readonly people: readonly Person[]; readonly entries: number }> {
      const filter = openFilter(settings.user_filter)
      const search = { base: settings.user_search_base, filter, ...wanted }
      for await (const entries of directory.pages(search, settings.page_size)) {
        const people = entries.flatMap((entry) => readPerson(entry, settings) ?? [])
        yield { people, entries: entries.length }
      }
    },

    /** The same people with the other values that the settings select; at most a page of them. */
    async describe(people: readonly Person[]): Promise<ExternalProfile[]> {
      if (people.length === 0) return []
      const admins = await selected(settings.admin_filter, people)
      const restricted = await selected(settings.restricted_filter, people)
      const profiles: ExternalProfile[] = []
      for (const person of people) {
        const { dn, subject, loginName, email, fullName } = person
        const isAdmin = admins?.has(normalDn(dn))
        profiles.push({
          subject,
          loginName,
          email,
          fullName,
          isAdmin,
          // An administrator is never restricted.
          isRestricted: restricted && restricted.has(normalDn(dn)) && isAdmin !== true,
          sshKeys: settings.ssh_key_attribute === '' ? undefined : person.sshKeys,
          teams: await groups.teamsOf(person),
        })
      }
      return profiles
    },
  }
}

export type People = ReturnType<typeof createPeople>
