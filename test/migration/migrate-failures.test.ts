import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { until } from '../core/git/wire/client.ts'
import { startIngot, temporaryFolder } from '../harness/process.ts'
import { startServer } from '../harness/server.ts'
import { importWorld, migrate, stagedRepos, storedRepos } from './import-world.ts'

describe('imports that fail', () => {
  const given = importWorld()

  it('leave no files and no rows', async () => {
    const before = storedRepos(given.server)
    const failing = [
      [
        `${given.upstream.url}/missing.git`,
        'Authentication failed: the repository does not exist or needs credentials.',
      ],
      ['http://127.0.0.1:1/x.git', 'Migration failed: '],
    ] as const
    for (const [clone_addr, message] of failing) {
      const answer = await migrate(given.ann, { clone_addr, repo_name: 'failed' })
      expect(answer.status).toBe(422)
      expect(answer.json.message).toContain(message)
    }
    let posts = 0
    given.upstream.before = (path) => {
      if (path.endsWith('/git-upload-pack') && ++posts === 2) given.upstream.login = 'nobody:any'
    }
    expect((await migrate(given.ann, { clone_addr: given.address, repo_name: 'failed' })).json.message).toContain(
      'Authentication failed: ',
    )
    expect(posts).toBeGreaterThanOrEqual(2)
    given.upstream.login = undefined
    expect((await given.ann.client.get('/repos/ann/failed')).status).toBe(404)
    expect(storedRepos(given.server)).toEqual(before)
    expect(stagedRepos(given.server)).toEqual([])
    given.upstream.before = () => {}
    expect((await migrate(given.ann, { clone_addr: given.address, repo_name: 'failed' })).status).toBe(201)
    expect(await migrate(given.ann, { clone_addr: given.address, repo_name: 'FAILED' })).toMatchObject({
      status: 409,
      json: { message: 'The repository with the same name already exists.' },
    })
  })

  it('let only one of two concurrent imports use the name', async () => {
    const before = storedRepos(given.server).length
    const answers = await Promise.all(
      [1, 2].map(() => migrate(given.ann, { clone_addr: given.address, repo_name: 'race' })),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409])
    expect(storedRepos(given.server).length).toBe(before + 1)
  })
})

describe('imports that are interrupted', () => {
  const given = importWorld()

  it('leave nothing when the server stops', async () => {
    const stopping = await startServer()
    const eve = await stopping.world.user('eve')
    const reached = Promise.withResolvers<void>()
    const never = Promise.withResolvers<void>()
    given.upstream.before = () => (reached.resolve(), never.promise)
    const answer = eve.client
      .post('/repos/migrate', { clone_addr: given.address, repo_name: 'cut' })
      .catch(() => undefined)
    await reached.promise
    await stopping.app.imports.close()
    expect((await answer)?.status).toBe(503)
    expect((await eve.client.get('/repos/eve/cut')).status).toBe(404)
    never.resolve()
    await stopping.close()
  })

  it('leave no rows and no folders when the server is killed', async () => {
    const folder = temporaryFolder()
    const data = join(folder.path, 'data')
    const start = () => startIngot(data, ['--set', 'migrations.allowed_hosts=*'])
    const first = await start()
    const headers = {
      authorization: `Basic ${Buffer.from(`admin:${first.password}`).toString('base64')}`,
      'content-type': 'application/json',
    }
    const reached = Promise.withResolvers<void>()
    const never = Promise.withResolvers<void>()
    let posts = 0
    given.upstream.before = (path) =>
      path.endsWith('/git-upload-pack') && ++posts === 2 ? (reached.resolve(), never.promise) : undefined
    const body = JSON.stringify({ clone_addr: given.address, repo_name: 'cut', mirror: true })
    const answer = fetch(`${first.url}/api/v1/repos/migrate`, { method: 'POST', headers, body }).catch(() => undefined)
    await reached.promise
    await first.stop('SIGKILL')
    expect(await answer).toBeUndefined()
    never.resolve()
    given.upstream.before = () => {}
    const second = await start()
    try {
      expect((await fetch(`${second.url}/api/v1/repos/admin/cut`, { headers })).status).toBe(404)
      await until('leftovers to go', () => readdirSync(join(data, 'git', 'staging')).length === 0)
      expect(readdirSync(join(data, 'git', 'repos'))).toEqual([])
      expect((await fetch(`${second.url}/api/v1/repos/migrate`, { method: 'POST', headers, body })).status).toBe(201)
    } finally {
      await second.stop()
      folder.remove()
    }
  }, 60_000)
})
