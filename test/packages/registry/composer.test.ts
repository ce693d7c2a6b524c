import { afterAll, beforeAll, expect, it } from 'vitest'
import { createHash } from 'node:crypto'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'
import { zipOf } from './zip.ts'

describeOnBoth('the Composer registry', (kind) => {
  let server: TestServer
  let ann: Person

  beforeAll(async () => {
    server = await startServer({ on: kind })
    ann = await server.world.user('ann')
  })
  afterAll(() => server.close())

  const base = () => `${server.url}/api/packages/ann/composer`
  const authorization = `Basic ${Buffer.from(`ann:${PASSWORD}`).toString('base64')}`
  async function upload(body: Buffer, query = '') {
    const answer = await fetch(`${base()}${query}`, {
      method: 'PUT',
      headers: { authorization },
      body: new Uint8Array(body),
    })
    const text = await answer.text()
    return [answer.status, text === '' ? '' : JSON.parse(text).errors[0].message] as const
  }
  const packageZip = (document: object) =>
    zipOf({ 'composer.json': JSON.stringify(document), 'src/A.php': '<?php class A {}\n' })
  const get = async (path: string) => {
    const answer = await fetch(`${base()}/${path}`)
    return { status: answer.status, json: await answer.json() }
  }

  it('publishes packages and shows their versions to Composer', async () => {
    const first = packageZip({
      name: 'team/lib',
      version: '1.0.0',
      type: 'library',
      require: { php: '>=8' },
      scripts: {},
    })
    expect(await upload(first)).toEqual([201, ''])
    expect(await upload(packageZip({ name: 'team/lib', description: 'Second' }), '?version=1.1.0')).toEqual([201, ''])
    expect((await upload(first))[0]).toBe(409)
    expect((await get('packages.json')).json).toEqual({
      search: `${base()}/search.json?q=%query%&type=%type%`,
      'metadata-url': `${base()}/p2/%package%.json`,
      list: `${base()}/list.json`,
    })
    const { json } = await get('p2/team/lib.json')
    const url = `${base()}/files/team%2Flib/1.0.0/team-lib.1.0.0.zip`
    expect(json).toMatchObject({
      minified: 'composer/2.0',
      packages: {
        'team/lib': [
          { name: 'team/lib', version: '1.1.0', description: 'Second', dist: { type: 'zip' } },
          {
            version: '1.0.0',
            description: '__unset',
            type: 'library',
            require: { php: '>=8' },
            dist: { type: 'zip', url, shasum: createHash('sha1').update(first).digest('hex') },
          },
        ],
      },
    })
    expect(json.packages['team/lib'][1]).not.toHaveProperty('name')
    expect(json.packages['team/lib'][1]).not.toHaveProperty('scripts')
    expect((await get('p2/team/lib~dev.json')).json).toEqual(json)
    expect(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(first)).toBe(true)
    expect(await get('p2/team/none.json')).toEqual({
      status: 404,
      json: { errors: [{ status: 404, message: 'package does not exist' }] },
    })
  })

  it('lists and finds packages', async () => {
    for (const [name, kindOfPackage] of [
      ['find/one', 'library'],
      ['find/two', 'composer-plugin'],
      ['find/three', 'library'],
    ])
      await upload(packageZip({ name, version: 'dev-main', type: kindOfPackage, description: 'D' }))
    expect((await get('list.json')).json.packageNames).toEqual(expect.arrayContaining(['find/one', 'find/two']))
    expect((await get('search.json?q=find&type=composer-plugin')).json).toEqual({
      total: 1,
      results: [{ name: 'find/two', description: 'D', downloads: 0 }],
    })
    const page = (await get('search.json?q=FIND&per_page=2')).json
    expect([page.total, page.results.length]).toEqual([3, 2])
    expect(await (await fetch(page.next)).json()).toMatchObject({ total: 3, results: [{ name: 'find/two' }] })
  })

  it('shows no version after its deletion', async () => {
    await upload(packageZip({ name: 'team/gone', version: '1.0.0' }))
    await upload(packageZip({ name: 'team/gone', version: '1.0.1' }))
    await ann.client.delete('/packages/ann/composer/team%2Fgone/1.0.0')
    const { packages } = (await get('p2/team/gone.json')).json
    expect(packages['team/gone'].map(({ version }: { version: string }) => version)).toEqual(['1.0.1'])
  })

  it('refuses an invalid package, and publishes nothing', async () => {
    const named = { name: 'team/bad', version: '1.0.0' }
    const refused = [
      [Buffer.from('garbage'), '', /not a valid zip archive/],
      [zipOf({ 'lib/composer.json': JSON.stringify(named) }), '', /composer.json file is missing/],
      [zipOf({ 'composer.json': '{' }), '', /composer.json is not valid JSON/],
      [zipOf({ 'composer.json': Buffer.alloc(300_000, ' ') }), '', /more than 262144 bytes/],
      [packageZip({ name: 'team/bad' }), '', /package version is invalid/],
      [packageZip(named), '?version=one', /package version is invalid/],
      [packageZip({ ...named, name: 'bad' }), '', /package name is invalid/],
      [packageZip({ ...named, name: 'team/../bad' }), '', /package name is invalid/],
      [packageZip({ ...named, name: ['team/bad'] }), '', /package name is invalid/],
    ] as const
    for (const [body, query, message] of refused)
      expect(await upload(body, query)).toEqual([400, expect.stringMatching(message)])
    expect((await fetch(base(), { method: 'PUT', body: new Uint8Array(packageZip(named)) })).status).toBe(401)
    expect((await get('p2/team/bad.json')).status).toBe(404)
  })
})
