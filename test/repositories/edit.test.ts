import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

describe('editing repositories', () => {
  let server: TestServer
  let ann: Person
  let bob: Person

  beforeAll(async () => {
    server = await startServer()
    ann = await server.world.user('ann')
    bob = await server.world.user('bob')
    await server.world.repo({ owner: ann, name: 'r', autoInit: true })
    await server.world.repo({ owner: ann, name: 'taken' })
  })
  afterAll(() => server.close())

  it('is allowed to administrators of the repository', async () => {
    await server.world.repo({ owner: ann, name: 'hidden', isPrivate: true })
    expect((await server.anonymous.patch('/repos/ann/r', { description: 'x' })).status).toBe(401)
    const refused = await bob.client.patch('/repos/ann/r', { description: 'x' })
    expect([refused.status, refused.json.message]).toEqual([
      403,
      'user should be an owner or a collaborator with admin write of a repository',
    ])
    expect((await bob.client.patch('/repos/ann/hidden', { name: 'x' })).status).toBe(404)
    expect((await (await ann.withToken('read:repository')).patch('/repos/ann/r', { description: 'x' })).status).toBe(
      403,
    )
  })

  it('changes only the given members', async () => {
    const before = (await ann.client.get('/repos/ann/r')).json
    const after = (
      await ann.client.patch('/repos/ann/r', {
        description: 'new',
        is_template: true,
        wiki_branch: 'pages',
        topics: ['x'],
      })
    ).json
    expect(after).toEqual({ ...before, description: 'new', template: true, wiki_branch: 'pages' })
    expect((await ann.client.patch('/repos/ann/r', { default_branch: 'missing' })).json.default_branch).toBe('main')
    const empty = await ann.client.patch('/repos/ann/taken', { default_branch: 'trunk' })
    expect(empty.json.default_branch).toBe('trunk')
  })

  it('returns the permissions of the requester before the edit', async () => {
    const rights = async (has: boolean) => (await ann.client.patch('/repos/ann/r', { has_code: has })).json.permissions
    expect([await rights(false), (await ann.client.get('/repos/ann/r')).json.permissions, await rights(true)]).toEqual([
      { admin: true, push: true, pull: true },
      { admin: true, push: false, pull: false },
      { admin: true, push: false, pull: false },
    ])
  })

  it.each([
    [{ name: 'TAKEN' }, 'repository already exists [uname: ann, name: TAKEN]'],
    [{ name: '' }, '[Name]: Required'],
    [{ name: 'two words' }, '[Name]: AlphaDashDot'],
    [{ name: 'x.git' }, 'name pattern is not allowed [pattern: *.git]'],
    [{ description: 'd'.repeat(2049) }, '[Description]: MaxSize (at most 2048 characters)'],
    [{ website: 'w'.repeat(1025) }, '[Website]: MaxSize (at most 1024 characters)'],
    [{ wiki_branch: 'a..b' }, '[WikiBranch]: GitRefName'],
    [{ has_projects: true, projects_mode: 'sideways' }, '[ProjectsMode]: In'],
    [
      { has_issues: true, external_tracker: { external_tracker_url: 'http://localhost/x' } },
      'External tracker URL not valid',
    ],
    [
      {
        has_issues: true,
        external_tracker: {
          external_tracker_url: 'https://a.test',
          external_tracker_format: 'https://a.test/{user/{repo}',
        },
      },
      'External tracker URL format not valid',
    ],
    [{ has_wiki: true, external_wiki: { external_wiki_url: 'nonsense' } }, 'Invalid external wiki URL'],
  ])('rejects the whole edit if a member is invalid: %#', async (body, message) => {
    const before = (await ann.client.get('/repos/ann/r')).json
    const answer = await ann.client.patch('/repos/ann/r', { has_actions: !before.has_actions, ...body })
    expect([answer.status, answer.json.message]).toEqual([422, message])
    expect((await ann.client.get('/repos/ann/r')).json).toEqual(before)
  })

  it('replaces a unit with its external variant and back to the defaults, and preserves settings while it is off', async () => {
    const patch = async (body: object): Promise<Record<string, unknown>> =>
      (await ann.client.patch('/repos/ann/r', body)).json
    const own = {
      enable_time_tracker: false,
      allow_only_contributors_to_track_time: false,
      enable_issue_dependencies: true,
    }
    expect((await patch({ has_issues: true, internal_tracker: own }))['internal_tracker']).toEqual(own)
    const external = await patch({
      has_issues: true,
      external_tracker: { external_tracker_url: 'https://tracker.test/r' },
    })
    expect(external).toMatchObject({
      has_issues: true,
      external_tracker: { external_tracker_url: 'https://tracker.test/r', external_tracker_style: 'numeric' },
    })
    expect(external).not.toHaveProperty('internal_tracker')
    expect((await patch({ has_issues: true }))['internal_tracker']).toMatchObject({ enable_time_tracker: true })
    await patch({ internal_tracker: own })
    await patch({ has_issues: false })
    expect((await patch({ has_issues: true }))['internal_tracker']).toEqual(own)
    expect(await patch({ has_pull_requests: false, has_wiki: false })).toMatchObject({
      has_pull_requests: false,
      allow_rebase: false,
      allow_manual_merge: true,
      has_wiki: false,
    })
    expect(await patch({ allow_squash_merge: false })).toMatchObject({
      has_pull_requests: true,
      allow_rebase: true,
      allow_squash_merge: false,
    })
  })

  it('archives a repository and edits an archived one', async () => {
    expect((await ann.client.patch('/repos/ann/r', { archived: true })).json.archived_at).not.toBe(
      '1970-01-01T00:00:00Z',
    )
    expect((await ann.client.patch('/repos/ann/r', { archived: false })).json).toMatchObject({
      archived: false,
      archived_at: '1970-01-01T00:00:00Z',
    })
  })

  it('deletes the stars of repositories that become private', async () => {
    await bob.client.put('/user/starred/ann/r')
    expect((await ann.client.get('/repos/ann/r')).json.stars_count).toBe(1)
    expect((await ann.client.patch('/repos/ann/r', { private: true })).json).toMatchObject({
      private: true,
      stars_count: 0,
    })
    expect((await bob.client.get('/repos/ann/r')).status).toBe(404)
    expect((await ann.client.patch('/repos/ann/r', { private: false })).json).toMatchObject({
      private: false,
      stars_count: 0,
    })
  })

  it('redirects an old name to the new one until it is reused, and never reveals a hidden repository', async () => {
    await server.world.repo({ owner: ann, name: 'first' })
    expect((await ann.client.patch('/repos/ann/first', { name: 'First' })).json.name).toBe('First')
    await ann.client.patch('/repos/ann/First', { name: 'second' })
    const moved = await server.anonymous.get('/repos/ann/first?x=1')
    expect([moved.status, moved.headers.get('location')]).toEqual([301, '/api/v1/repos/ann/second?x=1'])
    await ann.client.patch('/repos/ann/second', { private: true })
    expect((await bob.client.get('/repos/ann/first')).status).toBe(404)
    expect((await ann.client.get('/repos/ann/first')).status).toBe(301)
    await server.world.repo({ owner: ann, name: 'first' })
    expect((await ann.client.get('/repos/ann/first')).status).toBe(200)
    expect((await ann.client.patch('/repos/ann/second', { name: 'first' })).status).toBe(422)
  })

  it('leaves HEAD and the default branch equal after concurrent changes', async () => {
    const repo = await server.world.repo({ owner: ann, name: 'heads', autoInit: true, defaultBranch: 'main' })
    for (const name of ['a', 'b'])
      expect((await ann.client.post('/repos/ann/heads/branches', { new_branch_name: name })).status).toBe(201)
    const { git } = server.app
    const { open } = git
    const { path } = open(repo)
    // The whole second change runs between the row and HEAD of the first change.
    Object.assign(git, {
      open: (...args: Parameters<typeof open>) => {
        const opened = open(...args)
        const setHead = async (name: string): Promise<void> => {
          Object.assign(git, { open })
          expect((await ann.client.patch('/repos/ann/heads', { default_branch: 'b' })).json.default_branch).toBe('b')
          await opened.refs.setHead(name)
        }
        return Object.assign(Object.create(opened) as typeof opened, {
          refs: Object.assign(Object.create(opened.refs) as typeof opened.refs, { setHead }),
        })
      },
    })
    expect((await ann.client.patch('/repos/ann/heads', { default_branch: 'a' })).json.default_branch).toBe('b')
    expect(readFileSync(join(path, 'HEAD'), 'utf8')).toBe('ref: refs/heads/b\n')
  })
})
