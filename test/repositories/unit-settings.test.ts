import { afterEach, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../harness/server.ts'

let server: TestServer
afterEach(() => server.close())

const HAS = ['code', 'issues', 'wiki', 'pull_requests', 'projects', 'releases', 'packages', 'actions'] as const
const unitsOf = (repo: Record<string, unknown>): string[] => HAS.filter((unit) => repo[`has_${unit}`] === true)

describe('units configured by the operator', () => {
  it('are absent from all repositories and cannot be enabled if disabled', async () => {
    server = await startServer({
      settings: { 'repository.disabled_repo_units': 'repo.wiki,repo.ext_issues,repo.pulls,repo.actions' },
    })
    const ann = await server.world.user('ann')
    const made = await ann.client.post('/user/repos', { name: 'r', auto_init: true })
    expect(unitsOf(made.json)).toEqual(['code', 'issues', 'projects', 'releases', 'packages'])
    expect((await ann.client.get('/repos/ann/r/wiki/pages')).status).toBe(404)
    const edit = {
      has_wiki: true,
      has_pull_requests: true,
      has_actions: true,
      has_projects: false,
      allow_squash_merge: true,
      external_tracker: { external_tracker_url: 'https://example.org/t' },
      has_issues: true,
    }
    const edited = await ann.client.patch('/repos/ann/r', edit)
    expect(edited.status).toBe(200)
    expect(unitsOf(edited.json)).toEqual(['code', 'issues', 'releases', 'packages'])
    expect(edited.json.external_tracker).toBeUndefined()
    const bob = await server.world.user('bob')
    expect(unitsOf((await bob.client.post('/repos/ann/r/forks', {})).json)).toEqual(['code'])
    expect(unitsOf((await ann.client.patch('/repos/ann/r', { has_releases: false, has_actions: true })).json)).toEqual([
      'code',
      'issues',
      'packages',
    ])
  })

  it('are the defaults of new repositories by kind', async () => {
    server = await startServer({
      settings: {
        'repository.default_repo_units': 'repo.code,repo.releases,repo.actions',
        'repository.default_fork_repo_units': 'repo.code,repo.issues',
        'repository.default_mirror_repo_units': 'repo.code',
        'repository.disabled_repo_units': 'repo.issues',
      },
    })
    const [ann, bob] = [await server.world.user('ann'), await server.world.user('bob')]
    expect(unitsOf((await ann.client.post('/user/repos', { name: 'plain', auto_init: true })).json)).toEqual([
      'code',
      'releases',
      'actions',
    ])
    expect(
      unitsOf((await ann.client.post('/user/repos', { name: 'pattern', template: true, auto_init: true })).json),
    ).toEqual(['code', 'releases'])
    expect(unitsOf((await bob.client.post('/repos/ann/plain/forks', {})).json)).toEqual(['code'])
    expect(
      unitsOf(
        (await bob.client.post('/repos/ann/pattern/generate', { owner: 'bob', name: 'made', git_content: true })).json,
      ),
    ).toEqual(['code', 'releases', 'actions'])
    const clone_addr = `${server.url}/ann/plain.git`
    expect(
      unitsOf((await bob.client.post('/repos/migrate', { clone_addr, repo_name: 'mirror', mirror: true })).json),
    ).toEqual(['code'])
    expect(unitsOf((await bob.client.post('/repos/migrate', { clone_addr, repo_name: 'copy' })).json)).toEqual([
      'code',
      'releases',
      'actions',
    ])
  })

  it('are private everywhere if the operator requires it', async () => {
    server = await startServer({ settings: { 'repository.force_private': 'true' } })
    const ann = await server.world.user('ann')
    expect(
      (await ann.client.post('/user/repos', { name: 'r', private: false, auto_init: true, template: true })).json
        .private,
    ).toBe(true)
    expect(await ann.client.patch('/repos/ann/r', { private: false })).toMatchObject({
      status: 422,
      json: { message: 'cannot change private repository to public' },
    })
    expect(
      (
        await ann.client.post('/repos/ann/r/generate', {
          owner: 'ann',
          name: 'made',
          git_content: true,
          private: false,
        })
      ).json.private,
    ).toBe(true)
    const root = await server.world.admin()
    expect((await root.client.patch('/repos/ann/r', { private: false })).json.private).toBe(false)
    expect(
      (
        await ann.client.post('/repos/migrate', {
          clone_addr: `${server.url}/ann/r.git`,
          repo_name: 'copy',
          private: false,
        })
      ).json.private,
    ).toBe(true)
  })

  it('must have known names', async () => {
    await expect(startServer({ settings: { 'repository.disabled_repo_units': 'repo.wikis' } })).rejects.toThrow(
      'repository.disabled_repo_units',
    )
    server = await startServer()
  })
})
