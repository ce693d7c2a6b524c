import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { queriesOf } from '../../harness/queries.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person, viewerOf } from '../../harness/world.ts'

/** So many that each document is stored. */
const VERSIONS = 600
const TEXT = 'what the package is for, and who wrote it '.repeat(3)

interface Case {
  readonly type: string
  readonly name: string
  readonly path: string
  readonly metadata: (version: string) => object
}

const CASES: readonly Case[] = [
  {
    type: 'npm',
    name: 'tool',
    path: 'npm/tool',
    metadata: (version) => ({ name: 'tool', version, description: TEXT }),
  },
  { type: 'pypi', name: 'tool', path: 'pypi/simple/tool/', metadata: () => ({ requires_python: '>=3.8' }) },
  {
    type: 'cargo',
    name: 'tool',
    path: 'cargo/to/ol/tool',
    metadata: (vers) => ({ line: { name: 'tool', vers, deps: [], cksum: '0'.repeat(64), features: { [TEXT]: [] } } }),
  },
  {
    type: 'composer',
    name: 'ann/tool',
    path: 'composer/p2/ann/tool.json',
    metadata: (version) => ({ shown: { description: TEXT + version }, file: 'tool.zip', shasum: '0'.repeat(40) }),
  },
]

describeOnBoth('documents of packages with many versions', (kind) => {
  let server: TestServer
  let ann: Person
  let now = Date.parse('2027-01-01T00:00:00Z')

  beforeAll(async () => {
    server = await startServer({ on: kind, clock: { now: () => now } })
    ann = await server.world.user('ann')
    for (const one of CASES) await fill(one, VERSIONS)
  }, 60_000)
  afterAll(() => server.close())

  async function fill({ type, name, metadata }: Case, count: number): Promise<void> {
    await server.app.database.transaction(async (tx) => {
      const made = { owner_id: ann.user.id, type, name, lower_name: name }
      const { id } = await tx.insertInto('package').values(made).returning('id').executeTakeFirstOrThrow()
      for (let i = 0; i < count; i++) {
        const version = `1.0.${i}`
        const text = JSON.stringify(metadata(version))
        const row = { package_id: id, creator_id: ann.user.id, version, lower_version: version, created_at: now }
        const { id: versionId } = await tx
          .insertInto('package_version')
          .values({ ...row, metadata: text })
          .returning('id')
          .executeTakeFirstOrThrow()
        const sums = { md5: '0', sha1: '0', sha256: '0', sha512: '00' }
        const file = { version_id: versionId, name: `tool-${version}.tgz`, size: 1, metadata: text, ...sums }
        await tx.insertInto('package_file').values(file).execute()
      }
    })
  }
  const basic = () => ({ authorization: `Basic ${btoa(`ann:${PASSWORD}`)}` })
  async function get(path: string, headers: Record<string, string> = {}) {
    const answer = await fetch(`${server.url}/api/packages/ann/${path}`, { headers: { ...basic(), ...headers } })
    return { status: answer.status, etag: answer.headers.get('etag') ?? '', text: await answer.text() }
  }
  /** Whether a request reads all versions of the package. */
  const readsVersions = async (ask: () => Promise<unknown>): Promise<boolean> =>
    (await queriesOf(server.app.database, ask)).some(({ sql }) => sql.includes('from "package_version"'))

  async function publish(version: string): Promise<void> {
    const data = Buffer.from(version)
    const integrity = `sha512-${createHash('sha512').update(data).digest('base64')}`
    await put({
      name: 'tool',
      versions: { [version]: { name: 'tool', version, dist: { integrity } } },
      'dist-tags': { latest: version },
      _attachments: { [`tool-${version}.tgz`]: { data: data.toString('base64'), length: data.length } },
    })
  }
  async function put(document: object): Promise<void> {
    const answer = await fetch(`${server.url}/api/packages/ann/npm/tool`, {
      method: 'PUT',
      headers: { ...basic(), 'content-type': 'application/json' },
      body: JSON.stringify(document),
    })
    expect([200, 201], await answer.text()).toContain(answer.status)
  }

  it.each(CASES)('of $type are made once, and not at all for a client that has them', async ({ path }) => {
    const first = await get(path)
    expect(first.status).toBe(200)
    expect(first.text).toContain(`1.0.${VERSIONS - 1}`)
    let second = first
    expect(await readsVersions(async () => (second = await get(path)))).toBe(false)
    expect(second).toEqual(first)
    expect(await readsVersions(async () => (second = await get(path, { 'if-none-match': first.etag })))).toBe(false)
    expect([second.status, second.text]).toEqual([304, ''])
  })

  it('of npm are extended by new versions, and are built again after other changes', async () => {
    const { database } = server.app
    /** Whether all versions are read for the document, which must be the same as one that is made anew. */
    const readsAll = async (): Promise<boolean> => {
      let text = ''
      const queries = await queriesOf(database, async () => (text = (await get('npm/tool')).text))
      await database.transaction((tx) => tx.deleteFrom('package_document').where('name', '=', 'packument').execute())
      expect(text).toBe((await get('npm/tool')).text)
      return queries.some(({ sql }) => sql.includes('inner join "package_file"') && !sql.includes('limit'))
    }
    const remove = async (version: string): Promise<void> =>
      expect((await ann.client.delete(`/packages/ann/npm/tool/${version}`)).status).toBe(204)
    await get('npm/tool')
    await publish('1.1.0')
    expect(await readsAll()).toBe(false)
    await publish('1.1.1')
    now += 1000
    await publish('1.1.2')
    expect(await readsAll()).toBe(false)
    await put({ name: 'tool', versions: { '1.0.7': { deprecated: 'old' } } })
    await publish('1.1.3')
    expect(await readsAll()).toBe(true)
    await remove('1.1.2')
    await publish('1.1.2')
    expect(await readsAll()).toBe(true)
    await remove('1.1.2')
    await publish('1.1.4')
    expect(await readsAll()).toBe(true)
    expect(JSON.parse((await get('npm/tool')).text)).toMatchObject({
      'dist-tags': { latest: '1.1.4' },
      versions: { '1.0.7': { deprecated: 'old' }, '1.1.4': { dist: { shasum: expect.any(String) } } },
      time: { '1.1.4': new Date(now).toISOString() },
    })
    for (const version of ['1.1.0', '1.1.1', '1.1.3', '1.1.4']) await remove(version)
  })

  it.each([
    { type: 'cargo', path: 'cargo/to/ol/tool', accept: '*/*' },
    { type: 'pypi', path: 'pypi/simple/tool/', accept: '*/*' },
    { type: 'pypi', path: 'pypi/simple/tool/', accept: 'application/vnd.pypi.simple.v1+json' },
  ])('of $type are extended by new versions, and are built again after other changes ($accept)', async (one) => {
    const { database, packageContents } = server.app
    const { type, path, accept } = one
    const { metadata } = CASES.find((other) => other.type === type)!
    const read = async (): Promise<string> => (await get(path, { accept })).text
    /** Whether all versions are read for the document, which must be the same as one that is made anew. */
    const readsAll = async (): Promise<boolean> => {
      let text = ''
      const queries = await queriesOf(database, async () => (text = await read()))
      await database.transaction((tx) => tx.deleteFrom('package_document').execute())
      expect(text).toBe(await read())
      return queries.some(({ sql }) => sql.includes('"package_file"') && !sql.includes('limit'))
    }
    const release = (version: string, file: string): Promise<unknown> =>
      packageContents.withHold(async (hold) => {
        const content = await hold.receive([Buffer.from(file)])
        const text = JSON.stringify(metadata(version))
        const files = [{ name: file, content, metadata: text }]
        const made = { type, name: 'tool', version, metadata: text, files, ...(type === 'pypi' && { extends: true }) }
        await packageContents.publish(viewerOf(ann.user), ann.user, made)
      })
    const remove = (version: string): Promise<unknown> =>
      packageContents.deleteVersion(viewerOf(ann.user), ann.user, { type, name: 'tool', version })
    await read()
    await release('3.0.0', 'tool-3.0.0.tar.gz')
    expect(await readsAll()).toBe(false)
    if (type === 'pypi') await release('3.0.0', 'tool-3.0.0-py3-none-any.whl')
    await release('3.0.1', 'tool-3.0.1.tar.gz')
    expect(await readsAll()).toBe(false)
    expect(await read()).toContain('3.0.1')
    if (type === 'pypi') {
      await release('1.0.5', 'tool-1.0.5-py3-none-any.whl')
      expect(await readsAll()).toBe(false)
      await remove('1.0.5')
    }
    await remove('3.0.0')
    await release('3.0.2', 'tool-3.0.2.tar.gz')
    expect(await readsAll()).toBe(true)
    await remove('3.0.2')
    expect(await readsAll()).toBe(true)
    await remove('3.0.1')
  })

  it('contain a new version at once, and are made again in the background', async () => {
    const hashOf = async (): Promise<string | undefined> =>
      (
        await server.app.database.read
          .selectFrom('package_document')
          .select('sha256')
          .where('name', '=', 'packument')
          .executeTakeFirst()
      )?.sha256
    const before = await hashOf()
    await publish('2.0.0')
    expect(JSON.parse((await get('npm/tool')).text)['dist-tags']).toEqual({ latest: '2.0.0' })
    await publish('2.0.1')
    // The event enqueues the job, which waits for further changes.
    await server.drain()
    now += 2000
    await server.drain()
    let after = ''
    expect(await readsVersions(async () => (after = (await get('npm/tool')).text))).toBe(false)
    expect(Object.keys(JSON.parse(after).versions)).toHaveLength(VERSIONS + 2)
    const { packageContents } = server.app
    const hash = (await hashOf())!
    for await (const chunk of await packageContents.open({ sha256: hash })) expect(chunk.length).toBeGreaterThan(0)
    await expect(packageContents.open({ sha256: before! })).rejects.toThrow('the bytes of the file are lost')
    await packageContents.sweep(new AbortController().signal)
    expect((await get('npm/tool')).status).toBe(200)
    expect((await ann.client.delete('/packages/ann/npm/tool')).status).toBe(204)
    expect(await hashOf()).toBeUndefined()
    expect((await get('npm/tool')).status).toBe(404)
  })
})
