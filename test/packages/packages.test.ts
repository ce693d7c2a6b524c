import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Client, Response } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { rows } from '../harness/expect.ts'
import { addPackageVersion } from '../harness/packages.ts'
import { queriesOf } from '../harness/queries.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Organization, Person } from '../harness/world.ts'

const SUMS = { md5: 'a1', sha1: 'b2', sha256: 'c3', sha512: 'd4' }

describeOnBoth('packages', (kind) => {
  let server: TestServer
  let [ann, bob, reader, writer, root] = [] as unknown as Person[]
  let guild: Organization

  beforeAll(async () => {
    server = await startServer({ on: kind })
    const { world } = server
    ;[ann, bob, reader, writer] = await Promise.all(['ann', 'bob', 'reader', 'writer'].map((name) => world.user(name)))
    root = await world.admin()
    guild = await world.org('guild', { owner: ann!, visibility: 'private' })
    await guild.team('readers', { permission: 'read', units: ['repo.packages'], members: [reader!] })
    await guild.team('writers', { permission: 'write', units: ['repo.packages'], members: [writer!] })
    await guild.team('coders', { permission: 'write', units: ['repo.code'], members: [bob!] })
    await world.repo({ owner: ann!, name: 'r' })
    await world.repo({ owner: ann!, name: 'hid', isPrivate: true })
  })
  afterAll(() => server.close())

  const publish = (owner: Person | Organization, name: string, version: string, type?: string): Promise<void> => {
    const ownerId = 'org' in owner ? owner.org.id : owner.user.id
    return addPackageVersion(server.app, { ownerId, creatorId: ann!.user.id, name, version, ...(type && { type }) })
  }

  const versions = (answer: Response<{ name: string; version: string }[]>): string[] =>
    answer.json.map(({ name, version }) => `${name} ${version}`)

  it('of an owner without packages are an empty list and 404', async () => {
    const list = await bob!.client.get('/packages/bob')
    expect([list.status, list.json, list.headers.get('x-total-count')]).toEqual([200, [], '0'])
    const path = '/packages/bob/npm/none'
    const calls = [
      bob!.client.get(path),
      bob!.client.get(`${path}/-/latest`),
      bob!.client.get(`${path}/1.0`),
      bob!.client.get(`${path}/1.0/files`),
      bob!.client.delete(path),
      bob!.client.delete(`${path}/1.0`),
      bob!.client.post(`${path}/-/link/r`),
      bob!.client.post(`${path}/-/unlink`),
      bob!.client.get('/packages/nobody'),
    ]
    for (const answer of await Promise.all(calls)) expect([answer.status, answer.json]).toEqual([404, {}])
  })

  it('are listed by version, newest first, and found by type and a part of the name', async () => {
    for (const [name, version, type] of [
      ['Tool', '1.0', 'npm'],
      ['lib_x', '0.1', 'npm'],
      ['Tool', '2.0-RC', 'npm'],
      ['Tool', '1.0', 'generic'],
    ] as const)
      await publish(ann!, name, version, type)
    const { client } = ann!
    const list = await client.get('/packages/ann?limit=2')
    expect([versions(list), list.headers.get('x-total-count')]).toEqual([['Tool 1.0', 'Tool 2.0-RC'], '4'])
    expect(list.headers.get('link')).toContain('page=2')
    expect(list.json[1]).toMatchObject({
      owner: { login: 'ann' },
      creator: { login: 'ann' },
      repository: null,
      type: 'npm',
      html_url: `${server.url}/ann/-/packages/npm/tool/2.0-rc`,
      created_at: '1970-01-02T00:00:00Z',
    })
    expect(versions(await client.get('/packages/ann?type=generic'))).toEqual(['Tool 1.0'])
    expect(versions(await client.get('/packages/ann?q=OO'))).toHaveLength(3)
    expect(versions(await client.get('/packages/ann?q=b_X'))).toEqual(['lib_x 0.1'])
    expect(versions(await client.get('/packages/ann?q=b%25'))).toEqual([])
    expect(versions(await client.get('/packages/ann/npm/tool'))).toEqual(['Tool 2.0-RC', 'Tool 1.0'])
    expect((await client.get('/packages/ann/npm/TOOL/-/latest')).json.version).toBe('2.0-RC')
    expect((await client.get('/packages/ann/npm/tool/2.0-rc')).json.version).toBe('2.0-RC')
    expect((await client.get('/packages/ann/npm/tool/1.0/files')).json).toEqual([
      { id: expect.any(Number), name: 'Tool.tgz', size: 3_000, Size: 3_000, ...SUMS },
    ])
  })

  it('of all owners are listed for site administrators', async () => {
    const spread = await server.world.user('spread')
    await publish(spread, 'spread-a', '1', 'npm')
    await publish(guild, 'spread-b', '1', 'generic')
    const list = await root!.client.get('/admin/packages?q=SPREAD&limit=1')
    expect([versions(list), list.headers.get('x-total-count')]).toEqual([['spread-b 1'], '2'])
    expect(list.json[0].owner.login).toBe('guild')
    const ofType = await root!.client.get('/admin/packages?q=spread&type=npm')
    expect(ofType.json).toMatchObject([{ owner: { login: 'spread' }, creator: { login: 'ann' }, name: 'spread-a' }])
    expect((await root!.client.get('/admin/packages?type=none')).json).toEqual([])
    expect((await ann!.client.get('/admin/packages')).status).toBe(403)
    expect((await server.anonymous.get('/admin/packages')).status).toBe(401)
    expect((await (await root!.withToken('read:package')).get('/admin/packages')).status).toBe(403)
  })

  it('are listed with a fixed number of queries', async () => {
    await publish(guild, 'single', '1')
    for (let number = 0; number < 5; number++) await publish(guild, `many${number}`, '1')
    const { database } = server.app
    /** The fewest of three, each after a commit, which invalidates the read cache: timers of the server read too. */
    const asked = async (path: string): Promise<number> => {
      const counts: number[] = []
      for (let n = 0; n < 3; n++) {
        expect((await ann!.client.patch('/user/settings', { description: `${path} ${n}` })).status).toBe(200)
        await server.drain()
        counts.push((await queriesOf(database, () => ann!.client.get(path))).length)
      }
      return Math.min(...counts)
    }
    expect(await asked('/packages/guild?limit=6')).toBe(await asked('/packages/guild?limit=1&q=single'))
  })

  it('are linked to a repository of their owner, which is shown only to its readers', async () => {
    const { client } = ann!
    const path = '/packages/ann/npm/tool'
    expect((await client.post(`${path}/-/unlink`)).status).toBe(400)
    expect((await client.post(`${path}/-/link/none`)).status).toBe(404)
    const linked = await client.post(`${path}/-/link/hid`)
    expect([linked.status, linked.json.name, linked.json.repository.full_name]).toEqual([201, 'Tool', 'ann/hid'])
    expect((await client.post(`${path}/-/link/hid`)).status).toBe(400)
    const shown = async (viewer: Client) => (await viewer.get(`${path}/1.0`)).json.repository?.full_name
    expect([await shown(client), await shown(bob!.client)]).toEqual(['ann/hid', undefined])
    expect((await client.post(`${path}/-/link/r`)).status).toBe(400)
    expect((await client.post(`${path}/-/unlink`)).status).toBe(204)
    expect((await client.post(`${path}/-/link/r`)).status).toBe(201)
    expect(await shown(bob!.client)).toBe('ann/r')
    expect((await client.post(`${path}/-/unlink`)).status).toBe(204)
    expect(await shown(client)).toBeUndefined()
    for (const leave of [
      () => client.delete('/repos/ann/hid'),
      () => client.post('/repos/ann/r/transfer', { new_owner: 'guild' }),
    ]) {
      await client.post(`${path}/-/link/${(await client.get('/repos/ann/hid')).status === 200 ? 'hid' : 'r'}`)
      expect((await leave()).status).toBeLessThan(300)
      expect((await rows(server, 'package', { name: 'Tool', type: 'npm' })).map(({ repo_id }) => repo_id)).toEqual([0])
    }
  })

  it('show a public-only token no private repository, and are not linked to one by it', async () => {
    const { client } = ann!
    await server.world.repo({ owner: ann!, name: 'secret', isPrivate: true })
    await publish(ann!, 'open', '1.0')
    const path = '/packages/ann/npm/open'
    const outside = await ann!.withToken('public-only', 'write:package')
    expect((await outside.post(`${path}/-/link/secret`)).status).toBe(404)
    expect((await client.post(`${path}/-/link/secret`)).status).toBe(201)
    const shown = async (viewer: Client) => (await viewer.get(`${path}/1.0`)).json.repository?.full_name
    expect([await shown(client), await shown(outside)]).toEqual(['ann/secret', undefined])
    expect((await client.delete(path)).status).toBe(204)
  })

  it('are found under the new name of a renamed owner, unless it is hidden', async () => {
    const former = await server.world.user('former')
    const closed = await server.world.org('closed', { owner: former, visibility: 'private' })
    await publish(former, 'kept', '1')
    expect((await root!.client.post('/admin/users/former/rename', { new_username: 'latter' })).status).toBe(204)
    const moved = await bob!.client.get('/packages/former/npm/kept?page=1')
    expect([moved.status, moved.headers.get('location')]).toEqual([307, '/api/v1/packages/latter/npm/kept?page=1'])
    expect((await root!.client.post(`/orgs/${closed.name}/rename`, { new_name: 'shut' })).status).toBe(204)
    expect((await root!.client.get('/packages/closed')).headers.get('location')).toBe('/api/v1/packages/shut')
    expect((await bob!.client.get('/packages/closed')).status).toBe(404)
  })

  it('are deleted by version, entirely with the last version, and with their owner', async () => {
    const { client } = ann!
    const path = '/packages/ann/npm/tool'
    expect((await client.delete(`${path}/2.0-rc`)).status).toBe(204)
    expect((await client.delete(`${path}/2.0-rc`)).status).toBe(404)
    expect(versions(await client.get(path))).toEqual(['Tool 1.0'])
    expect((await client.delete(`${path}/1.0`)).status).toBe(204)
    expect((await client.get(path)).status).toBe(404)
    expect(await rows(server, 'package', { name: 'Tool', type: 'npm' })).toEqual([])
    expect((await client.delete('/packages/ann/generic/tool')).status).toBe(204)
    const { json: entries } = await root!.client.get('/admin/audit?action=package.deleted&target=ann')
    expect(entries.map(({ details }: { details: object }) => details).slice(0, 2)).toEqual([
      { type: 'generic', name: 'Tool' },
      { type: 'npm', name: 'Tool', version: '1.0' },
    ])
    expect(versions(await client.get('/packages/ann'))).toEqual(['lib_x 0.1'])
    const gone = await server.world.user('gone')
    await publish(gone, 'left', '1')
    const refused = await root!.client.delete('/admin/users/gone')
    expect([refused.status, refused.json.message]).toEqual([
      422,
      `user still has ownership of packages [uid: ${gone.user.id}]`,
    ])
    expect(await rows(server, 'package', { name: 'left' })).toHaveLength(1)
    expect((await root!.client.delete('/admin/users/gone?purge=true')).status).toBe(204)
    expect(await rows(server, 'package', { name: 'left' })).toEqual([])
  })

  it('keep their organization from being deleted', async () => {
    const club = await server.world.org('club', { owner: ann! })
    await publish(club, 'kept', '1')
    const refused = await ann!.client.delete('/orgs/club')
    expect([refused.status, refused.json.message]).toEqual([422, 'user still has ownership of packages'])
    expect((await ann!.client.delete('/packages/club/npm/kept')).status).toBe(204)
    expect((await ann!.client.delete('/orgs/club')).status).toBe(204)
  })

  it('are read by the owner, members and site administrators, and changed by teams with the unit', async () => {
    await publish(guild, 'secret', '1')
    const outcome = async (client: Client): Promise<number[]> => {
      await publish(guild, 'probe', '1').catch(() => undefined)
      return [
        (await client.get('/packages/guild')).status,
        (await client.get('/packages/guild/npm/secret/1')).status,
        (await client.post('/packages/guild/npm/secret/-/unlink')).status,
        (await client.delete('/packages/guild/npm/probe/1')).status,
      ]
    }
    expect(await outcome(server.anonymous)).toEqual([401, 401, 401, 401])
    expect(await outcome((await server.world.user('stranger')).client)).toEqual([403, 403, 403, 403])
    expect((await bob!.client.delete('/packages/guild/npm/secret/1')).json.message).toBe(
      'user should have specific permission or be a site admin',
    )
    for (const person of [bob!, reader!]) expect(await outcome(person.client)).toEqual([200, 200, 403, 403])
    for (const person of [writer!, ann!, root!]) expect(await outcome(person.client)).toEqual([200, 200, 400, 204])
    expect(await outcome(await ann!.withToken('write:package'))).toEqual([200, 200, 400, 204])
    expect(await outcome(await ann!.withToken('read:package'))).toEqual([200, 200, 403, 403])
    expect(await outcome(await ann!.withToken('write:repository'))).toEqual([403, 403, 403, 403])
    expect(await outcome(await ann!.withToken('write:package', 'public-only'))).toEqual([403, 403, 403, 403])
    expect((await bob!.client.delete('/packages/ann/npm/lib_x')).status).toBe(403)
    const anonymous = await server.anonymous.get('/packages/ann')
    expect([anonymous.status, anonymous.json.message]).toEqual([401, 'token is required'])
    expect((await bob!.client.get('/packages/ann')).status).toBe(200)
  })
})
