import { type Members, numberOf } from '../../../../core/platform/json-members.ts'
import { lineOf, wholeOf } from '../../imports/sources/read.ts'
import {
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
  const members = owners && (await namesOf(context, `/teams/${wholeOf(owners['id'])}/members`))
  const creator = members?.[0]
  const path = creator === undefined ? '/orgs' : `/admin/users/${part(creator)}/orgs`
  await send(context, { method: 'POST', path, body: { ...body, username: name }, what })
}

/** Names on this server of the accounts of a list. */
export async function namesOf(context: ServerContext, path: string): Promise<string[]> {
  const members = await sourceList(context, path)
  return members.flatMap((member) => targetName(context, lineOf(member['login'])) ?? [])
}

/** Teams with their members; their repositories come later. */
export const teamsStep: ServerStep = {
  name: 'teams',
  async run(context) {
    for await (const org of sourceAccounts(context, 'organization'))
      for (const team of await sourceList(context, `/orgs/${part(org.login)}/teams`)) {
        const id = wholeOf(team['id'])
        const members = context.isDryRun ? [] : await namesOf(context, `/teams/${id}/members`)
        const value = [pick(team, TEAM), members]
        await once(context, { kind: 'team', id, target: org.name, value }, () =>
          writeTeam(context, { org, team, members }),
        )
      }
  },
}

interface TeamToWrite {
  readonly org: SourceAccount
  readonly team: Members
  readonly members: readonly string[]
}

async function writeTeam(context: ServerContext, { org, team, members }: TeamToWrite): Promise<void> {
  const name = lineOf(team['name'])
  const what = `team ${name} of ${org.login}`
  const body = pick(team, TEAM)
  let id = await findTeam(context, org.name, name)
  if (id === undefined) {
    if (!(await send(context, { method: 'POST', path: `/orgs/${part(org.name)}/teams`, body, what }))) return
    id = await findTeam(context, org.name, name)
  } else if (name !== OWNERS) await send(context, { method: 'PATCH', path: `/teams/${id}`, body, what })
  for (const member of members)
    await send(context, { method: 'PUT', path: `/teams/${id}/members/${part(member)}`, what: `${member} in ${what}` })
}

export async function findTeam({ target }: ServerContext, org: string, name: string): Promise<number | undefined> {
  const teams = await target.list(`/orgs/${part(org)}/teams`)
  const found = teams.find((team) => lineOf(team['name']).toLowerCase() === name.toLowerCase())
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
