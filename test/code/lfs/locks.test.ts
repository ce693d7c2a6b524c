import { describe, expect, it } from 'vitest'
import { sample, useLfsServer } from './fixture.ts'

describe('locks', () => {
  const { world, call } = useLfsServer()

  it('are created, listed in pages, verified and released', async () => {
    const repo = await world.server.world.repo({ owner: world.alice, name: `locks${world.count++}` })
    await world.alice.client.put(`/repos/alice/${repo.name}/collaborators/bob`, { permission: 'write' })
    const base = `alice/${repo.name}.git/info/lfs/locks`
    expect((await call(undefined, 'GET', base)).json).toEqual({ message: 'You must have pull access to list locks' })
    const made = await call(world.alice, 'POST', base, { path: '/a//b.bin' })
    expect([made.status, made.json.lock]).toEqual([
      201,
      {
        id: expect.stringMatching(/^\d+$/),
        path: 'a/b.bin',
        locked_at: expect.stringMatching(/Z$/),
        owner: { name: 'alice' },
      },
    ])
    const again = await call(world.bob, 'POST', base, { path: 'a/b.bin' })
    expect([again.status, again.json]).toEqual([409, { message: 'already created lock', lock: made.json.lock }])
    for (const name of ['1', '2', '3']) expect((await call(world.bob, 'POST', base, { path: name })).status).toBe(201)
    for (const body of [{}, { path: '' }, { path: '../x' }, { path: 3 }])
      expect((await call(world.bob, 'POST', base, body)).status).toBeGreaterThanOrEqual(400)

    const first = (await call(world.alice, 'GET', base)).json
    expect(first.locks.map((lock: { path: string }) => lock.path)).toEqual(['a/b.bin', '1', '2'])
    const second = (await call(world.alice, 'GET', `${base}?cursor=${first.next_cursor}`)).json
    expect([second.locks.map((lock: { path: string }) => lock.path), second.next_cursor]).toEqual([['3'], undefined])
    expect((await call(world.alice, 'GET', `${base}?path=2`)).json.locks).toHaveLength(1)
    expect((await call(world.alice, 'GET', `${base}?id=${made.json.lock.id}`)).json.locks).toHaveLength(1)
    expect((await call(world.alice, 'GET', `${base}?id=x`)).status).toBe(400)
    const sides = (await call(world.alice, 'POST', `${base}/verify`, {})).json
    expect([sides.ours.length, sides.theirs.length]).toEqual([1, 2])

    const unlock = `${base}/${made.json.lock.id}/unlock`
    expect((await call(world.bob, 'POST', unlock, {})).status).toBe(403)
    expect((await call(world.bob, 'POST', `${base}/999999/unlock`, {})).status).toBe(404)
    expect((await call(world.bob, 'POST', unlock, { force: true })).json.lock.path).toBe('a/b.bin')
    expect((await call(world.alice, 'POST', unlock, {})).status).toBe(404)
  })

  it('are numbered without gaps after refusals, and match member names case-insensitively', async () => {
    const repo = await world.server.world.repo({ owner: world.alice, name: `locks${world.count++}` })
    const base = `alice/${repo.name}.git/info/lfs/locks`
    const first = await call(world.alice, 'POST', base, { Path: 'a' })
    for (let tries = 0; tries < 3; tries++)
      expect((await call(world.alice, 'POST', base, { path: 'a' })).status).toBe(409)
    const second = await call(world.alice, 'POST', base, { PATH: 'b' })
    expect(Number(second.json.lock.id) - Number(first.json.lock.id)).toBe(1)
    const object = sample()
    const asked = await call(world.alice, 'POST', `alice/${repo.name}.git/info/lfs/objects/batch`, {
      Operation: 'upload',
      Objects: [{ Oid: object.oid, Size: object.size }],
    })
    expect(asked.json.objects[0].actions.upload.href).toContain(object.oid)
  })
})
