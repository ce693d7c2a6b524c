import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Any, Client } from '../../harness/client.ts'
import { rows } from '../../harness/expect.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Organization, type Person } from '../../harness/world.ts'
import { git, tempDir } from '../../core/git/wire/client.ts'

describe('activities', () => {
  let server: TestServer
  let [ann, bob, cyd, root] = [] as unknown as [Person, Person, Person, Person]
  let guild: Organization
  let now = Date.parse('2026-05-01T10:07:00Z')

  beforeAll(async () => {
    server = await startServer({ clock: { now: () => now } })
    const { world } = server
    ;[ann, bob, cyd, root] = [
      await world.user('ann'),
      await world.user('bob'),
      await world.user('cyd'),
      await world.admin(),
    ]
    guild = await world.org('guild', { owner: cyd })
    await world.repo({ owner: ann, name: 'one', autoInit: true })
    await world.repo({ owner: ann, name: 'secret', isPrivate: true })
  })
  afterAll(() => server.close())

  const feed = async (client: Client, path: string): Promise<Any[]> => (await client.get(path)).json
  const ops = async (client: Client, path: string): Promise<string[]> =>
    (await feed(client, path)).map((item: Any) => `${item.op_type} ${item.repo.name}`)

  it('shows other users only public activities, at once', async () => {
    expect(await ops(server.anonymous, '/users/ann/activities/feeds')).toEqual(['create_repo one'])
    expect(await ops(bob.client, '/users/ann/activities/feeds')).toEqual(['create_repo one'])
    expect(await ops(ann.client, '/users/ann/activities/feeds')).toEqual(['create_repo secret', 'create_repo one'])
    expect(await ops(root.client, '/users/ann/activities/feeds')).toEqual(['create_repo secret', 'create_repo one'])
    expect((await server.anonymous.get('/repos/ann/secret/activities/feeds')).status).toBe(404)
    expect((await bob.client.get('/users/nobody/activities/feeds')).status).toBe(404)
    const [item] = await feed(ann.client, '/repos/ann/secret/activities/feeds')
    expect(item).toMatchObject({ is_private: true, act_user_id: ann.user.id, comment: null, ref_name: '', content: '' })
  })

  it('records pushes with their commits, tags, deletions and renames', async () => {
    const folder = tempDir()
    const dir = folder.path
    const remote = server.url.replace('//', `//ann:${encodeURIComponent(PASSWORD)}@`) + '/ann/one.git'
    await git(dir, ['clone', '-q', remote, '.'])
    for (const subject of ['first', 'second']) await git(dir, ['commit', '-q', '--allow-empty', '-m', subject])
    await git(dir, ['tag', 'v1'])
    await git(dir, ['push', '-q', 'origin', 'HEAD:main', 'HEAD:topic', 'v1'])
    await git(dir, ['push', '-q', 'origin', ':topic', ':v1'])
    folder.remove()
    const recorded = (await feed(bob.client, '/repos/ann/one/activities/feeds')).map(
      (item) => `${item.op_type} ${item.ref_name}`,
    )
    expect(recorded.slice(0, 2).toSorted()).toEqual(['delete_branch refs/heads/topic', 'delete_tag refs/tags/v1'])
    // A new branch has two records: one for its creation, without commits.
    expect(recorded.slice(2, 6).toSorted()).toEqual([
      'commit_repo refs/heads/main',
      'commit_repo refs/heads/topic',
      'commit_repo refs/heads/topic',
      'push_tag refs/tags/v1',
    ])
    expect(recorded.slice(6)).toEqual(['create_repo '])
    await server.drain()
    const items = await feed(bob.client, '/repos/ann/one/activities/feeds')
    expect(items.filter((item) => item.ref_name === 'refs/heads/topic' && item.content === '')).toMatchObject(
      [{ op_type: 'commit_repo' }, { op_type: 'delete_branch' }].toReversed(),
    )
    const pushed = items.find((item) => item.ref_name === 'refs/heads/main')
    const content = JSON.parse(pushed.content)
    expect(content.Commits.map((commit: Any) => commit.Message.trim())).toEqual(['second', 'first'])
    expect(content).toMatchObject({ Len: 2, HeadCommit: { AuthorName: 'Tester', Sha1: content.Commits[0].Sha1 } })
    expect(content.CompareURL).toMatch(/^ann\/one\/compare\/[0-9a-f]{40}\.\.\.[0-9a-f]{40}$/)

    await ann.client.patch('/repos/ann/one', { name: 'uno' })
    const [renamed] = await feed(bob.client, '/repos/ann/uno/activities/feeds')
    expect(renamed).toMatchObject({ op_type: 'rename_repo', content: 'one', repo: { name: 'uno' } })
  })

  it('records for each of many new branches the commits beyond the default branch', async () => {
    await server.world.repo({ owner: cyd, name: 'many', autoInit: true })
    const folder = tempDir()
    await git(folder.path, [
      'clone',
      '-q',
      server.url.replace('//', `//cyd:${encodeURIComponent(PASSWORD)}@`) + '/cyd/many.git',
      '.',
    ])
    for (const name of ['old-1', 'old-2', 'old-3']) await git(folder.path, ['branch', name])
    for (const subject of ['third', 'fourth']) await git(folder.path, ['commit', '-q', '--allow-empty', '-m', subject])
    for (const name of ['same', 'ahead']) await git(folder.path, ['branch', name])
    await git(folder.path, ['checkout', '-q', 'ahead'])
    await git(folder.path, ['commit', '-q', '--allow-empty', '-m', 'fifth'])
    await git(folder.path, ['push', '-q', 'origin', '--all'])
    folder.remove()
    await server.drain()
    const items = (await feed(cyd.client, '/repos/cyd/many/activities/feeds')).filter(
      (item) => item.op_type === 'commit_repo' && item.content !== '',
    )
    const lengths = items
      .map((item) => [item.ref_name.replace('refs/heads/', ''), JSON.parse(item.content)] as const)
      .map(([name, { Len, Commits, HeadCommit }]) => `${name} ${Len} ${Commits.length} ${HeadCommit.Message.trim()}`)
    expect(lengths.toSorted()).toEqual([
      'ahead 1 1 fifth',
      'main 2 2 fourth',
      'old-1 0 0 Initial commit',
      'old-2 0 0 Initial commit',
      'old-3 0 0 Initial commit',
      'same 0 0 fourth',
    ])
    expect((await cyd.client.delete('/repos/cyd/many')).status).toBe(204)
  })

  it('shows watchers the activities of others, unless excluded by only-performed-by; filters by date', async () => {
    await server.app.social.watch(
      { kind: 'user', account: bob.user } as never,
      (await server.app.repos.getInView({ kind: 'anonymous' }, 'ann', 'uno')).repo,
    )
    expect(await ops(bob.client, '/users/bob/activities/feeds')).toContain('rename_repo uno')
    expect(await ops(bob.client, '/users/bob/activities/feeds?only-performed-by=true')).toEqual([])
    expect(await feed(ann.client, '/users/ann/activities/feeds?date=2001-01-01')).toEqual([])
    const page = await ann.client.get('/users/ann/activities/feeds?date=2026-05-01&limit=1')
    expect([page.json.length, page.headers.get('x-total-count'), page.headers.get('link')]).toEqual([1, '9', null])
  })

  it('counts by quarters of an hour', async () => {
    now += 20 * 60_000
    await ann.client.post('/user/repos', { name: 'late' })
    const start = Date.parse('2026-05-01T10:00:00Z') / 1000
    expect(await feed(ann.client, '/users/ann/heatmap')).toEqual([
      { timestamp: start, contributions: 9 },
      { timestamp: start + 900, contributions: 1 },
    ])
    expect((await feed(server.anonymous, '/users/ann/heatmap'))[0].contributions).toBe(8)
    expect(await feed(server.anonymous, '/users/guild/heatmap')).toEqual([])
    expect((await server.anonymous.get('/users/nobody/heatmap')).status).toBe(404)
  })

  it('hides the activities of a user who keeps them private', async () => {
    await ann.client.patch('/user/settings', { hide_activity: true })
    expect(await feed(bob.client, '/users/ann/activities/feeds')).toEqual([])
    expect(await feed(bob.client, '/users/ann/heatmap')).toEqual([])
    expect(await feed(ann.client, '/users/ann/activities/feeds')).not.toEqual([])
  })

  it('shows private activities to members of the organization and of a team', async () => {
    const open = await server.world.repo({ owner: guild.org, by: cyd, name: 'open' })
    await server.world.repo({ owner: guild.org, by: cyd, name: 'inner', isPrivate: true })
    const team = await guild.team('crew', { members: [bob], repos: [open] })
    expect(await ops(server.anonymous, '/orgs/guild/activities/feeds')).toEqual(['create_repo open'])
    expect(await ops(server.anonymous, '/users/guild/activities/feeds')).toEqual(['create_repo open'])
    expect(await ops(bob.client, '/orgs/guild/activities/feeds')).toEqual(['create_repo open'])
    expect(await ops(cyd.client, '/orgs/guild/activities/feeds')).toEqual(['create_repo inner', 'create_repo open'])
    expect(await ops(bob.client, `/teams/${team.id}/activities/feeds`)).toEqual(['create_repo open'])
    expect((await ann.client.get(`/teams/${team.id}/activities/feeds`)).status).toBe(404)
    expect((await server.anonymous.get(`/teams/${team.id}/activities/feeds`)).status).toBe(401)
  })

  it('deletes the activities of deleted resources', async () => {
    await cyd.client.delete('/repos/guild/open')
    expect(await ops(cyd.client, '/orgs/guild/activities/feeds')).toEqual(['create_repo inner'])
    expect((await root.client.delete('/admin/users/ann?purge=true')).status).toBe(204)
    expect(await rows(server, 'activity', { actor_id: ann.user.id })).toEqual([])
  })
})
