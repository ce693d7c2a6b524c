import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Any, Client } from '../harness/client.ts'
import { runCommand, type Ran } from '../harness/process.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'
import { newKey } from '../harness/ssh-keys.ts'

/** A PNG of one pixel. */
const IMAGE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const HOOK = { type: 'gitea', config: { url: 'https://hooks.test/in', content_type: 'json' }, events: ['push'] }

export interface ServerWorld {
  readonly source: TestServer
  readonly target: TestServer
  /** An administrator of the source, and one of the target who was there before. */
  readonly boss: Person
  readonly admin: Person
  readonly ann: Person
  readonly tokenFile: string
  /** Runs `ingot import COMMAND` beside the target. */
  run(command: string, ...args: string[]): Promise<Ran>
  arguments(command: string, ...args: string[]): string[]
  close(): Promise<void>
}

/** Any answer but a refusal. */
async function must(client: Client, method: 'patch' | 'post' | 'put', path: string, body?: object): Promise<Any> {
  const { status, json, text } = await client[method](path, body)
  expect(status, `${method} ${path}: ${text}`).toBeLessThan(400)
  return json
}

/** A server with some of everything, and another one to which it moves. */
export async function startServerWorld(on: 'postgres' | 'sqlite'): Promise<ServerWorld> {
  const source = await startServer({ on, settings: { 'service.login_sources': '4' } })
  const target = await startServer({ on, settings: { 'service.login_sources': '7' }, tuning: { jobInterval: 50 } })
  target.app.background.start()
  const boss = await source.world.admin('boss')
  const ann = await source.world.user('ann')
  const bob = await source.world.user('bob', { visibility: 'limited' })
  const admin = await target.world.admin('root')
  await fillAccounts({ source, boss, ann, bob })
  await fillRepos(source, ann, bob)
  const tokenFile = join(target.dataDir, 'their-token')
  writeFileSync(tokenFile, `${await boss.token('all')}\n`)
  const { url } = target.app.config.database
  const args = (command: string, ...more: string[]): string[] => [
    'import',
    command,
    `--from=${source.url}`,
    `--token-file=${tokenFile}`,
    `--to=${target.url}`,
    `--data-dir=${target.dataDir}`,
    '--set=migrations.allowed_hosts=*',
    ...(on === 'postgres' ? [`--set=database.url=${url}`] : []),
    ...more,
  ]
  return {
    source,
    target,
    boss,
    admin,
    ann,
    tokenFile,
    arguments: args,
    run: (command, ...more) => runCommand(args(command, ...more)),
    async close() {
      await target.close()
      await source.close()
    },
  }
}

interface People {
  readonly source: TestServer
  readonly boss: Person
  readonly ann: Person
  readonly bob: Person
}

async function fillAccounts({ source, boss, ann, bob }: People): Promise<void> {
  await must(ann.client, 'post', '/user/keys', { title: 'laptop', key: newKey() })
  await must(ann.client, 'post', '/user/emails', { emails: ['ann@second.test'] })
  await must(ann.client, 'patch', '/user/settings', { full_name: 'Ann A', location: 'Oslo', hide_email: true })
  await must(ann.client, 'put', '/user/following/boss')
  await must(ann.client, 'post', '/user/avatar', { image: IMAGE })
  await must(ann.client, 'post', '/user/actions/variables/COLOR', { value: 'red' })
  await must(bob.client, 'put', '/user/blocks/boss')
  const { org } = await source.world.org('guild', { owner: ann })
  await must(boss.client, 'patch', `/orgs/${org.name}`, { description: 'of makers', visibility: 'private' })
  const team = await must(ann.client, 'post', '/orgs/guild/teams', {
    name: 'makers',
    permission: 'write',
    units_map: { 'repo.code': 'write', 'repo.issues': 'read' },
  })
  await must(boss.client, 'put', `/teams/${team.id}/members/bob`)
  await must(ann.client, 'put', '/orgs/guild/public_members/ann')
  await must(ann.client, 'post', '/orgs/guild/labels', { name: 'kind/bug', color: '#ff0000', exclusive: true })
  await must(ann.client, 'post', '/orgs/guild/hooks', HOOK)
  await must(ann.client, 'post', '/orgs/guild/avatar', { image: IMAGE })
  await must(ann.client, 'post', '/orgs/guild/actions/variables/PLACE', { value: 'here' })
  await must(ann.client, 'post', '/orgs/guild/repos', { name: 'tools', auto_init: true, private: true })
  await must(ann.client, 'put', `/teams/${team.id}/repos/guild/tools`)
  await must(ann.client, 'post', '/repos/guild/tools/issues', { title: 'for a member of a team', assignees: ['bob'] })
}

async function fillRepos(source: TestServer, ann: Person, bob: Person): Promise<void> {
  await source.world.repo({ owner: ann, name: 'desk', autoInit: true })
  const post = (path: string, body: object, by = ann): Promise<Any> =>
    must(by.client, 'post', `/repos/ann/desk${path}`, body)
  const label = await post('/labels', { name: 'bug', color: '#00ff00', description: 'a fault' })
  await post('/milestones', { title: 'Spring' })
  await post('/issues', { title: 'first', body: 'text' }, bob)
  await post('/issues', { title: 'second', labels: [label.id] })
  await post('/issues/1/comments', { body: 'an answer' })
  await post('/releases', { tag_name: 'v1', name: 'One', target_commitish: 'main' })
  await post('/keys', { title: 'deploy', key: newKey(), read_only: true })
  await post('/hooks', HOOK)
  await post('/actions/variables/SIZE', { value: '7' })
  await must(ann.client, 'post', '/repos/ann/desk/avatar', { image: IMAGE })
  await must(ann.client, 'put', '/repos/ann/desk/actions/secrets/KEY', { data: 'x' })
  await must(ann.client, 'put', '/repos/ann/desk/collaborators/bob', { permission: 'write' })
  await must(bob.client, 'put', '/user/starred/ann/desk')
  await must(bob.client, 'put', '/repos/ann/desk/subscription')
  await must(bob.client, 'post', '/repos/ann/desk/forks', { name: 'desk-fork' })
  await must(ann.client, 'patch', '/repos/ann/desk', { has_projects: false, default_merge_style: 'squash' })
  await source.world.repo({ owner: ann, name: 'old', autoInit: true })
  await must(ann.client, 'patch', '/repos/ann/old', { archived: true })
}
