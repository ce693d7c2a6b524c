import { type Members, numberOf } from '../../../../core/platform/json-members.ts'
import { lineOf, countOf } from '../../imports/sources/read.ts'
import { grantAccess, removeAccess } from '../access.ts'
import {
  knownList,
  once,
  part,
  pick,
  send,
  type ServerContext,
  type ServerStep,
  type SourceAccount,
  sourceAccounts,
  sourceList,
  targetName,
} from '../server-context.ts'

const PROFILE = [
  'full_name',
  'description',
  'website',
  'location',
  'email',
  'visibility',
  'repo_admin_change_team_access',
]
const TEAM = ['name', 'description', 'permission', 'units_map', 'includes_all_repositories', 'can_create_org_repo']
const OWNERS = 'Owners'

export const organizationsStep: ServerStep = {
  name: 'organizations',
  async run(context) {
    for await (const org of sourceAccounts(context, 'organization')) {
      const { id, name, value } = org
      const read = pick(value, PROFILE)
      await once(context, { kind: 'organization', id, target: name, value: read }, () =>
        writeOrganization(context, org),
      )
    }
  },
}

async function writeOrganization(context: ServerContext, { login, name, value }: SourceAccount): Promise<void> {
  const what = `organization ${login}`
  const body = pick(value, PROFILE)
  if ((await context.target.find(`/orgs/${part(name)}`)) !== undefined) {
    await send(context, { method: 'PATCH', path: `/orgs/${part(name)}`, body, what })
    return
  }
  const teams = await sourceList(context, `/orgs/${part(login)}/teams`)
  const owners = teams.find((team) => team['name'] === OWNERS)
  const members = owners && (await namesOf(context, `/teams/${countOf(owners['id'])}/members`))
  const creator = members?.[0]
  if (owners !== undefined && creator !== undefined) {
    const source_id = creator.toLowerCase()
    await context.journal.put({ kind: membersKind(countOf(owners['id'])), source_id, target: name, state: 'done' })
  }
  const path = creator === undefined ? '/orgs' : `/admin/users/${part(creator)}/orgs`
  await send(context, { method: 'POST', path, body: { ...body, username: name }, what })
}

/** Names on this server of the accounts of a list. */
export const namesOf = async (context: ServerContext, path: string): Promise<string[]> =>
  (await knownNames(context, path)) ?? []

async function knownNames(context: ServerContext, path: string): Promise<string[] | undefined> {
  const members = await knownList(context, path)
  return members?.flatMap((member) => targetName(context, lineOf(member['login'])) ?? [])
}

/** Teams with their members; their repositories come later. */
export const teamsStep: ServerStep = {
  name: 'teams',
  async run(context) {
    for await (const org of sourceAccounts(context, 'organization')) {
      const teams = await knownList(context, `/orgs/${part(org.login)}/teams`)
      if (teams === undefined) continue
      for (const team of teams) {
        const id = countOf(team['id'])
        const members = context.isDryRun ? [] : await knownNames(context, `/teams/${id}/members`)
        if (members === undefined) {
          context.report.omit(`team ${lineOf(team['name'])} of ${org.login}: its members cannot be read`)
          continue
        }
        const value = [pick(team, TEAM), members]
        await once(context, { kind: 'team', id, target: org.name, value }, () =>
          writeTeam(context, { org, team, members }),
        )
      }
      if (!context.isDryRun) await removeTeams(context, org, new Set(teams.map(({ id }) => String(countOf(id)))))
    }
  },
}

const teamsKind = ({ id }: SourceAccount): string => `teams ${id}`
const membersKind = (team: number | string): string => `team-members ${team}`

interface TeamToWrite {
  readonly org: SourceAccount
  readonly team: Members
  readonly members: readonly string[]
}

async function writeTeam(context: ServerContext, { org, team, members }: TeamToWrite): Promise<void> {
  const name = lineOf(team['name'])
  const what = `team ${name} of ${org.login}`
  const body = pick(team, TEAM)
  const key = { kind: teamsKind(org), source_id: String(countOf(team['id'])) }
  const imported = await context.journal.find(key)
  let id = await findTeam(context, org.name, name, imported?.target)
  if (id === undefined) {
    await context.journal.put({ ...key, target: '', state: 'begun' })
    if (!(await send(context, { method: 'POST', path: `/orgs/${part(org.name)}/teams`, body, what }))) return
    id = (await findTeam(context, org.name, name))!
    await context.journal.put({ ...key, target: String(id), state: 'done' })
  } else {
    if (imported !== undefined) await context.journal.put({ ...key, target: String(id), state: 'done' })
    if (name !== OWNERS) await send(context, { method: 'PATCH', path: `/teams/${id}`, body, what })
  }
  const access = membersAccess(context, { id, what, kind: membersKind(key.source_id), members })
  await grantAccess(context, access)
  await removeAccess(context, access)
}

interface TeamMembers {
  /** Id of the team on this server. */
  readonly id: number
  readonly what: string
  readonly kind: string
  readonly members: readonly string[]
}

function membersAccess({ target }: ServerContext, { id, what, kind, members }: TeamMembers) {
  const list = `/teams/${id}/members`
  const at = (name: string) => ({ path: `${list}/${part(name)}`, what: `${name} in ${what}` })
  return {
    kind,
    theirs: new Map(members.map((name) => [name.toLowerCase(), { ...at(name), method: 'PUT' } as const])),
    ours: async () =>
      new Map((await target.list(list)).map(({ login }) => [lineOf(login).toLowerCase(), at(lineOf(login))])),
  }
}

/** Teams that earlier runs have brought and the other server has no more, but for members added on this server. */
async function removeTeams(context: ServerContext, org: SourceAccount, theirs: ReadonlySet<string>): Promise<void> {
  const { journal, report, target } = context
  for (const { kind, source_id, target: id } of await journal.list(teamsKind(org))) {
    if (theirs.has(source_id)) continue
    const path = `/teams/${id}`
    const team = await target.find(path)
    const what = `team ${lineOf(team?.['name'])} of ${org.login}`
    if (team !== undefined) {
      const members = { id: Number(id), what, kind: membersKind(source_id), members: [] }
      await removeAccess(context, membersAccess(context, members))
      if ((await target.list(`${path}/members`)).length > 0) {
        report.omit(`${what}: it is not at the other server any more; it has members who were added on this server`)
        continue
      }
      if (!(await send(context, { method: 'DELETE', path, what }))) continue
      report.deleted(what)
    }
    await journal.delete({ kind, source_id })
  }
}

/** The team with an id, or else with a name. */
export async function findTeam(
  { target }: ServerContext,
  org: string,
  name: string,
  id?: string,
): Promise<number | undefined> {
  const teams = await target.list(`/orgs/${part(org)}/teams`)
  const found =
    teams.find((team) => String(numberOf(team['id'])) === id) ??
    teams.find((team) => lineOf(team['name']).toLowerCase() === name.toLowerCase())
  return found && numberOf(found['id'])
}

const LABEL = ['name', 'color', 'description', 'exclusive', 'is_archived']

export const orgLabelsStep: ServerStep = {
  name: 'labels of organizations',
  async run(context) {
    for await (const { id, login, name } of sourceAccounts(context, 'organization')) {
      const labels = await sourceList(context, `/orgs/${part(login)}/labels`)
      if (labels.length === 0) continue
      const read = labels.map((label) => pick(label, LABEL))
      await once(context, { kind: 'org-labels', id, target: name, value: read }, async () => {
        const path = `/orgs/${part(name)}/labels`
        const own = new Map((await context.target.list(path)).map((label) => [lineOf(label['name']), label['id']]))
        for (const body of read) {
          const found = own.get(lineOf(body['name']))
          const what = `label ${String(body['name'])} of ${login}`
          if (found === undefined) await send(context, { method: 'POST', path, body, what })
          else await send(context, { method: 'PATCH', path: `${path}/${numberOf(found)}`, body, what })
        }
      })
    }
  },
}

export const publicMembersStep: ServerStep = {
  name: 'public members',
  async run(context) {
    for await (const { id, login, name } of sourceAccounts(context, 'organization')) {
      const members = await namesOf(context, `/orgs/${part(login)}/public_members`)
      await once(context, { kind: 'public-members', id, target: name, value: members }, async () => {
        for (const member of members) {
          const path = `/orgs/${part(name)}/public_members/${part(member)}`
          await send(context, { method: 'PUT', path, as: member, what: `public membership of ${member} in ${login}` })
        }
      })
    }
  },
}
