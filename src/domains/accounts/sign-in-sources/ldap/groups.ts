import type { TeamChanges, TeamName } from '../external-profile.ts'
import type { Directory } from './connection.ts'
import { normalDn } from './distinguished-name.ts'
import type { Person } from './entries.ts'
import type { LdapSettings } from './ldap.model.ts'
import { escapeFilterValue } from './ldap-text.ts'

/** Groups around a group around a group …: deeper ones are not looked for. */
const MAX_DEPTH = 8
/** Maximum number of groups of one person. */
const MAX_GROUPS = 1000
/** Cached groups, each with those that contain it. */
const MAX_CACHED = 10_000

/** The groups of people, cached for one synchronization or sign-in. */
export function createGroups(directory: Directory, settings: LdapSettings) {
  const around = new Map<string, readonly string[]>()

  async function groupsWith(value: string): Promise<string[]> {
    const member = `(${settings.group_member_attribute}=${escapeFilterValue(value)})`
    const filter = `(&${settings.group_filter || '(objectClass=*)'}${member})`
    return directory.names({ base: settings.group_search_base, filter })
  }

  async function groupsAround(dn: string): Promise<readonly string[]> {
    const known = around.get(dn)
    if (known !== undefined) return known
    const groups = await groupsWith(dn)
    if (around.size < MAX_CACHED) around.set(dn, groups)
    return groups
  }

  /** The normal forms of their names; undefined for too many. */
  async function groupsOf({ memberValue }: Person): Promise<ReadonlySet<string> | undefined> {
    const found = new Set<string>()
    let level: readonly string[] = memberValue === '' ? [] : await groupsWith(memberValue)
    for (let depth = 0; level.length > 0 && depth < MAX_DEPTH; depth++) {
      const fresh = level.filter((dn) => !found.has(normalDn(dn)))
      const outer: string[] = []
      for (const dn of fresh) {
        if (found.size >= MAX_GROUPS) return undefined
        found.add(normalDn(dn))
        if (settings.nested_groups) outer.push(...(await groupsAround(dn)))
      }
      level = outer
    }
    return found
  }

  return {
    /** The teams of the person; undefined without a mapping, and for a person in too many groups. */
    async teamsOf(person: Person): Promise<TeamChanges | undefined> {
      if (settings.group_teams.length === 0) return undefined
      const groups = await groupsOf(person)
      if (groups === undefined) return undefined
      const join = new Map<string, TeamName>()
      const leave = new Map<string, TeamName>()
      for (const { group, organization, team } of settings.group_teams) {
        const list = groups.has(normalDn(group)) ? join : leave
        list.set(`${organization}/${team}`.toLowerCase(), { organization, team })
      }
      // Several groups may be for one team.
      const removed = [...leave].filter(([key]) => !join.has(key)).map(([, team]) => team)
      return { join: [...join.values()], leave: settings.remove_from_teams ? removed : [] }
    },
  }
}
