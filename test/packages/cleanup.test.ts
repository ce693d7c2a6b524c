import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import { PASSWORD, type Person } from '../harness/world.ts'

const DAY = 24 * 60 * 60 * 1000
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
const digestOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`

describeOnBoth('cleanup rules of packages', (kind) => {
  let server: TestServer
  let [ann, bob, root] = [] as unknown as Person[]
  let now = Date.parse('2027-01-01T00:00:00Z')
  let count = 0
  let owner: Person

  beforeAll(async () => {
    server = await startServer({ on: kind, clock: { now: () => now } })
    ;[ann, bob] = await Promise.all(['ann', 'bob'].map((name) => server.world.user(name)))
    root = await server.world.admin()
  })
  afterAll(() => server.close())
  beforeEach(async () => {
    owner = await server.world.user(`owner${count++}`)
  })

  const basic = ({ name }: Person) => ({ authorization: `Basic ${btoa(`${name}:${PASSWORD}`)}` })
  async function send(method: string, path: string, body: string, headers: Record<string, string> = {}): Promise<void> {
    const answer = await fetch(`${server.url}${path}`, { method, body, headers: { ...basic(owner), ...headers } })
    expect(answer.status, await answer.text()).toBe(201)
  }
  const publish = (name: string, version: string, file = 'f'): Promise<void> =>
    send('PUT', `/api/packages/${owner.name}/generic/${name}/${version}/${file}`, `${name} ${version} ${file}`)
  const rules = (name = owner.name): string => `/packages/${name}/-/cleanup-rules`
  const save = (rule: object, type = 'generic', client: Client = owner.client) => client.put(`${rules()}/${type}`, rule)
  async function versions(type = 'generic'): Promise<string[]> {
    const { json } = await owner.client.get(`/packages/${owner.name}?type=${type}&limit=50`)
    return json.map((one: { name: string; version: string }) => `${one.name} ${one.version}`).toSorted()
  }
  async function preview(type = 'generic'): Promise<string[]> {
    const { status, json } = await owner.client.get(`${rules()}/${type}/preview?limit=50`)
    expect(status).toBe(200)
    return json.map((one: { name: string; version: string }) => `${one.name} ${one.version}`).toSorted()
  }
  async function clean(): Promise<void> {
    expect((await root!.client.post('/admin/cron/apply_package_cleanup_rules')).status).toBe(204)
    await server.drain()
  }

  it('are saved, listed, replaced and deleted', async () => {
    const made = await save({ keep_count: 3, remove_pattern: String.raw`.*-rc\d+` })
    const rule = {
      type: 'generic',
      enabled: true,
      keep_count: 3,
      keep_pattern: '',
      remove_days: 0,
      remove_pattern: String.raw`.*-rc\d+`,
      match_full_name: false,
      author: { login: owner.name },
    }
    expect([made.status, made.json]).toMatchObject([200, rule])
    await save({ enabled: false, remove_days: 30 }, 'npm')
    const list = await owner.client.get(rules())
    expect([list.json, list.headers.get('x-total-count')]).toMatchObject([[rule, { type: 'npm', enabled: false }], '2'])
    expect((await save({ keep_pattern: 'v1', match_full_name: true })).json).toMatchObject({
      keep_count: 0,
      keep_pattern: 'v1',
      remove_pattern: '',
      match_full_name: true,
    })
    expect((await owner.client.delete(`${rules()}/npm`)).status).toBe(204)
    expect((await owner.client.delete(`${rules()}/npm`)).status).toBe(404)
    expect((await owner.client.get(`${rules()}/npm`)).status).toBe(404)
  })

  it('are refused for rules that delete everything, invalid patterns, unknown types and callers without write access', async () => {
    const message = async (rule: object) => {
      const { status, json } = await save(rule)
      return [status, json.message]
    }
    expect(await message({})).toEqual([422, 'keep_count, keep_pattern, remove_days or remove_pattern must be set'])
    expect(await message({ keep_pattern: '(' })).toEqual([422, 'keep_pattern: is not a regular expression'])
    expect(await message({ remove_pattern: 'a)|(b' })).toEqual([422, 'remove_pattern: is not a regular expression'])
    for (const wrong of [{ keep_count: -1 }, { remove_days: 40_000 }, { keep_pattern: 'x'.repeat(256) }])
      expect((await save(wrong)).status).toBe(422)
    expect((await save({ keep_count: 1 }, 'tool')).status).toBe(404)
    expect((await save({ keep_count: 1 }, 'generic', bob!.client)).status).toBe(403)
    expect((await bob!.client.get(rules())).status).toBe(403)
    expect((await save({ keep_count: 1 }, 'generic', await owner.withToken('read:package'))).status).toBe(403)
  })

  it('delete what no condition keeps, as their preview says', async () => {
    for (const version of ['1.0', '1.1-rc1', '1.1', '2.0-RC1', '2.0']) {
      await publish('tool', version)
      now += DAY
    }
    await publish('other', '1.0-rc1')
    await save({ enabled: false, keep_count: 2, keep_pattern: '1[.]0', remove_pattern: String.raw`.*-rc\d` })
    expect(await preview()).toEqual(['tool 1.1-rc1'])
    await save({ enabled: false, remove_pattern: String.raw`.*-rc\d` })
    expect(await preview()).toEqual(['other 1.0-rc1', 'tool 1.1-rc1', 'tool 2.0-RC1'])
    await save({ enabled: false, keep_pattern: 'other/.*', remove_pattern: '.*/1[.].*', match_full_name: true })
    expect(await preview()).toEqual(['tool 1.0', 'tool 1.1', 'tool 1.1-rc1'])
    await save({ enabled: false, remove_days: 3 })
    expect(await preview()).toEqual(['tool 1.0', 'tool 1.1', 'tool 1.1-rc1'])
    await clean()
    expect(await versions()).toHaveLength(6)
    await publish('tool', '1.0', 'later')
    await save({ remove_days: 3 })
    expect(await preview()).toEqual(['tool 1.1', 'tool 1.1-rc1'])
    await clean()
    expect(await versions()).toEqual(['other 1.0-rc1', 'tool 1.0', 'tool 2.0', 'tool 2.0-RC1'])
    const { json } = await root!.client.get(`/admin/audit?action=package.deleted&target=${owner.name}`)
    expect(json.map((entry: { actor: object; details: object }) => [entry.actor, entry.details])).toMatchObject([
      [{ name: owner.name }, { version: '1.1-rc1' }],
      [{ name: owner.name }, { version: '1.1' }],
    ])
  })

  it('delete nothing after their author lost the right to, and stop for patterns that take too long', async () => {
    const guild = await server.world.org(`guild${count++}`, { owner: ann! })
    const team = await guild.team('writers', { permission: 'write', units: ['repo.packages'], members: [owner] })
    const by = owner
    owner = { ...owner, name: guild.name }
    const path = `/api/packages/${guild.name}/generic/tool/${'a'.repeat(40)}/f`
    const answer = await fetch(`${server.url}${path}`, { method: 'PUT', body: 'x', headers: basic(by) })
    expect(answer.status).toBe(201)
    expect((await save({ remove_pattern: 'a*' })).status).toBe(200)
    expect(await preview()).toHaveLength(1)
    expect((await ann!.client.delete(`/teams/${team.id}/members/${by.name}`)).status).toBe(204)
    await clean()
    const left = async () => (await ann!.client.get(`/packages/${guild.name}`)).json
    expect(await left()).toHaveLength(1)
    const slow = await ann!.client.put(`${rules()}/generic`, { remove_pattern: '(a|a|a)*b' })
    expect(slow.status).toBe(200)
    const refused = await ann!.client.get(`${rules()}/generic/preview`)
    expect([refused.status, refused.json.message]).toEqual([
      422,
      'keep_pattern, remove_pattern: take too long to match',
    ])
    await clean()
    expect(await left()).toHaveLength(1)
    await ann!.client.put(`${rules()}/generic`, { remove_pattern: 'a*' })
    await clean()
    expect(await left()).toEqual([])
  }, 30_000)

  it('treat images by their tags: manifests that an index names and signatures go with what they belong to', async () => {
    const image = `/v2/${owner.name}/app`
    const put = (reference: string, body: string): Promise<void> =>
      send('PUT', `${image}/manifests/${reference}`, body, {
        'content-type': (JSON.parse(body) as { mediaType: string }).mediaType,
      })
    const descriptor = (content: string, mediaType = MANIFEST) => ({
      mediaType,
      digest: digestOf(content),
      size: content.length,
    })
    await send('POST', `${image}/blobs/uploads/?digest=${digestOf('{}')}`, '{}')
    const manifest = (title: string, more: object = {}): string =>
      JSON.stringify({
        schemaVersion: 2,
        mediaType: MANIFEST,
        config: descriptor('{}', 'application/vnd.oci.image.config.v1+json'),
        layers: [],
        annotations: { title },
        ...more,
      })
    const child = manifest('child')
    const index = JSON.stringify({
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.index.v1+json',
      manifests: [descriptor(child)],
    })
    const signature = manifest('signature', { subject: descriptor(index) })
    const untagged = manifest('untagged')
    for (const one of [child, signature, untagged]) await put(digestOf(one), one)
    await put('pr-1', index)
    await put(`${digestOf(index).replace(':', '-')}.sig`, manifest('cosign'))
    await put('latest', manifest('latest'))
    await put('moved', manifest('first'))
    const all = await versions('container')
    await save({ remove_days: 0, keep_pattern: 'none' }, 'container')
    expect(await preview('container')).toEqual(['app moved', 'app pr-1'])
    now += 10 * DAY
    await put('moved', manifest('second'))
    await save({ remove_days: 5 }, 'container')
    // The tag `moved` is new again, and the manifest that it had before has been untagged since then.
    const before = `app ${digestOf(manifest('first'))}`
    const gone = [`app ${digestOf(untagged)}`, 'app pr-1'].toSorted()
    expect(await preview('container')).toEqual(gone)
    await clean()
    expect(await versions('container')).toEqual([...all, before].filter((one) => !gone.includes(one)).toSorted())
    const get = async (reference: string) =>
      (await fetch(`${server.url}${image}/manifests/${reference}`, { headers: basic(owner) })).status
    expect([await get(digestOf(child)), await get(digestOf(index)), await get('latest')]).toEqual([404, 404, 200])
    await clean()
    expect(await versions('container')).toEqual(['app latest', 'app moved', before])
  })

  it('are not needed for blobs of images: those that no manifest names are deleted after a day', async () => {
    const image = `/v2/${owner.name}/app`
    const push = async (layer: string): Promise<void> => {
      for (const blob of ['{}', layer]) await send('POST', `${image}/blobs/uploads/?digest=${digestOf(blob)}`, blob)
      const descriptor = (body: string) => ({ mediaType: 'x/y', digest: digestOf(body), size: body.length })
      const manifest = { schemaVersion: 2, mediaType: MANIFEST, config: descriptor('{}'), layers: [descriptor(layer)] }
      await send('PUT', `${image}/manifests/v1`, JSON.stringify(manifest), { 'content-type': MANIFEST })
    }
    const first = async (): Promise<string> =>
      (await fetch(`${server.url}${image}/manifests/v1`, { headers: basic(owner) })).headers.get(
        'docker-content-digest',
      )!
    const left = async (): Promise<string[]> => {
      expect((await root!.client.post('/admin/cron/clear_container_uploads')).status).toBe(204)
      await server.drain()
      await server.app.packageContents.sweep(new AbortController().signal)
      const found: string[] = []
      for (const blob of ['{}', 'one', 'two', 'alone'])
        if ((await fetch(`${server.url}${image}/blobs/${digestOf(blob)}`, { headers: basic(owner) })).ok)
          found.push(blob)
      return found
    }
    await push('one')
    const replaced = await first()
    await push('two')
    const headers = basic(owner)
    expect((await fetch(`${server.url}${image}/manifests/${replaced}`, { method: 'DELETE', headers })).status).toBe(202)
    await send('POST', `${image}/blobs/uploads/?digest=${digestOf('alone')}`, 'alone')
    expect(await left()).toEqual(['{}', 'one', 'two', 'alone'])
    now += 2 * DAY
    await send('POST', `${image}/blobs/uploads/?digest=${digestOf('alone')}`, 'alone')
    expect(await left()).toEqual(['{}', 'two', 'alone'])
    now += 2 * DAY
    expect(await left()).toEqual(['{}', 'two'])
  })

  it('never delete the newest state of Terraform', async () => {
    for (const serial of [1, 2, 3])
      expect(
        (
          await fetch(`${server.url}/api/packages/${owner.name}/terraform/state/prod`, {
            method: 'POST',
            body: JSON.stringify({ version: 4, serial, lineage: 'x' }),
            headers: basic(owner),
          })
        ).status,
      ).toBeLessThan(300)
    now += 40 * DAY
    await save({ remove_days: 30 }, 'terraform')
    await clean()
    expect(await versions('terraform')).toEqual(['prod 3'])
  })
})
