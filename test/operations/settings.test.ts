import { afterAll, beforeAll, expect, it } from 'vitest'
import { startServer, type TestServer } from '../harness/server.ts'

const settings = {
  'lfs.enabled': 'false',
  'mirror.enabled': 'false',
  'repository.disable_stars': 'true',
  'repository.disable_forks': 'true',
  'repository.disable_migrations': 'true',
  'repository.disable_http_git': 'true',
  'repository.max_creation_limit': '7',
}
let servers: TestServer[]

beforeAll(async () => {
  servers = [await startServer(), await startServer({ settings })]
})
afterAll(() => Promise.all(servers.map((server) => server.close())))

it('clients can read the disabled features and the maximum number of repositories of a user', async () => {
  const answers = await Promise.all(servers.map((server) => server.anonymous.get('/settings/repository')))
  const members = (off: boolean) => ({
    mirrors_disabled: off,
    http_git_disabled: off,
    migrations_disabled: off,
    stars_disabled: off,
    forks_disabled: off,
    time_tracking_disabled: false,
    lfs_disabled: off,
  })
  expect(answers.map((answer) => answer.json)).toEqual([
    { ...members(false), max_repo_creation: -1 },
    { ...members(true), max_repo_creation: 7 },
  ])
})
