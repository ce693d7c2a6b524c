import { utimesSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

describe('deleting repositories', () => {
  let server: TestServer
  let ann: Person
  let bob: Person

  beforeAll(async () => {
    server = await startServer()
    ann = await server.world.user('ann')
    bob = await server.world.user('bob')
  })
  afterAll(() => server.close())

  it('rejects users without access, and returns the same for hidden and missing repositories', async () => {
    await server.world.repo({ owner: ann, name: 'open' })
    await server.world.repo({ owner: ann, name: 'hidden', isPrivate: true })
    expect((await server.anonymous.delete('/repos/ann/open')).status).toBe(401)
    const refused = await bob.client.delete('/repos/ann/open')
    expect([refused.status, refused.json.message]).toEqual([403, 'user should be the owner of the repo'])
    expect((await bob.client.delete('/repos/ann/hidden')).status).toBe(404)
    expect((await bob.client.delete('/repos/ann/nothing')).status).toBe(404)
    expect((await (await ann.withToken('read:repository')).delete('/repos/ann/open')).status).toBe(403)
    expect((await ann.client.get('/repos/ann/open')).status).toBe(200)
  })

  it('deletes the row at once and the files in a job', async () => {
    const repo = await server.world.repo({ owner: ann, name: 'gone', autoInit: true })
    expect((await ann.client.delete('/repos/ann/gone')).status).toBe(204)
    expect((await ann.client.get('/repos/ann/gone')).status).toBe(404)
    expect((await ann.client.delete('/repos/ann/gone')).status).toBe(404)
    await server.drain()
    expect(await server.app.git.repoExists(repo.storage)).toBe(false)
    expect((await ann.client.post('/user/repos', { name: 'gone' })).status).toBe(201)
  })

  it('deletes the files of an account that is purged', async () => {
    const eve = await server.world.user('eve')
    const root = await server.world.admin()
    const repo = await server.world.repo({ owner: eve, name: 'hers' })
    expect((await root.client.delete('/admin/users/eve?purge=true')).status).toBe(204)
    await server.drain()
    expect(await server.app.git.repoExists(repo.storage)).toBe(false)
  })

  it('sweeps git directories that have belonged to no repository for an hour, and no others', async () => {
    const { git, background } = server.app
    const kept = await server.world.repo({ owner: ann, name: 'kept' })
    const [old, young] = ['aa/aa11223344', 'aa/bb11223344']
    for (const storage of [old, young]) await git.createRepo(storage, { objectFormat: 'sha1', defaultBranch: 'main' })
    await git.createRepo(`${kept.storage}.wiki`, { objectFormat: 'sha1', defaultBranch: 'main' })
    const dayAgo = new Date(server.app.clock.now() - 86_400_000)
    for (const storage of [old, kept.storage, `${kept.storage}.wiki`]) utimesSync(git.path(storage), dayAgo, dayAgo)
    await background.schedule.run('delete_lost_repository_files')
    await server.drain()
    const there = await Promise.all(
      [old, young, kept.storage, `${kept.storage}.wiki`].map((storage) => git.repoExists(storage)),
    )
    expect(there).toEqual([false, true, true, true])
  })
})
