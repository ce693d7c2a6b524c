import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'
import { zipOf } from './zip.ts'

const GUID = '0123456789abcdef0123456789abcdef'

/** The metadata root of a portable PDB with two streams. */
function pdb(): Buffer {
  const head = Buffer.concat([Buffer.from('BSJB\x01\0\x01\0\0\0\0\0\x0c\0\0\0PDB v1.0\0\0\0\0\0\0\x02\0', 'latin1')])
  const streams = Buffer.from('\0\0\0\0\0\0\0\0#Strings\0\0\0\0\x44\0\0\0\x14\0\0\0#Pdb\0\0\0\0', 'latin1')
  const id = Buffer.from('67452301ab89efcd0123456789abcdef', 'hex')
  const start = head.length + streams.length
  streams.writeUInt32LE(start, 20)
  return Buffer.concat([head, streams, id, Buffer.alloc(4)])
}

describeOnBoth('the NuGet registry', (kind) => {
  let server: TestServer
  let ann: Person
  let token: string

  beforeAll(async () => {
    server = await startServer({ on: kind })
    ann = await server.world.user('ann')
    token = await ann.token('write:package')
    await server.world.org('vault', { owner: ann, visibility: 'private' })
  })
  afterAll(() => server.close())

  const base = (owner = 'ann') => `${server.url}/api/packages/${owner}/nuget`
  const nuspec = (id: string, version: string, more = ''): string =>
    `\uFEFF<?xml version="1.0"?><package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd"><metadata>
<id>${id}</id><version>${version}</version><authors>Ann, Bob</authors><description>Says &lt;hello&gt;</description>
<tags>say hello</tags>${more}</metadata></package>`
  const nupkg = (id: string, version: string, more = ''): Buffer =>
    zipOf({ [`${id}.nuspec`]: nuspec(id, version, more), 'lib/net8.0/x.dll': 'dll' })
  async function push(file: Buffer, path = '', headers: Record<string, string> = { 'x-nuget-apikey': token }) {
    const form = new FormData()
    form.append('package', new File([new Uint8Array(file)], 'package.nupkg'))
    const answer = await fetch(`${base()}/${path}`, { method: 'PUT', headers, body: form })
    return [answer.status, await answer.text()] as const
  }
  const get = async (path: string, owner = 'ann') => {
    const answer = await fetch(`${base(owner)}/${path}`)
    return { status: answer.status, text: await answer.text() }
  }
  const json = async (path: string) => JSON.parse((await get(path)).text)

  it('publishes packages and serves their files by lower-case addresses', async () => {
    const file = nupkg('Say.Hello', '1.0.0.0+build')
    expect(await push(file)).toEqual([201, ''])
    expect(await push(nupkg('say.hello', '1.0'))).toEqual([409, '{"Message":"package version already exists"}'])
    expect((await push(nupkg('Say.Hello', '1.1.0-Beta.2')))[0]).toBe(201)
    expect(await json('package/say.hello/index.json')).toEqual({ versions: ['1.0.0', '1.1.0-beta.2'] })
    const answer = await fetch(`${base()}/package/say.hello/1.0.0/say.hello.1.0.0.nupkg`)
    expect(Buffer.from(await answer.arrayBuffer()).equals(file)).toBe(true)
    expect((await get('package/Say.Hello/1.1.0-beta.2/Say.Hello.nuspec')).text).toContain('1.1.0-Beta.2')
    expect((await ann.client.get('/packages/ann/nuget/say.hello/1.1.0-beta.2')).json).toMatchObject({
      name: 'Say.Hello',
      version: '1.1.0-Beta.2',
    })
    expect(await get('package/none/index.json')).toEqual({ status: 404, text: '{"Message":"package does not exist"}' })
  })

  it('accepts the form of nuget.exe on Mono, which ends with a line feed only', async () => {
    const file = nupkg('Mono', '1.0.0')
    const head = '--b\r\nContent-Disposition: form-data; name="package"; filename="package"\r\n'
    const type = 'Content-Type: application/octet-stream\r\n\r\n'
    const answer = await fetch(`${base()}/`, {
      method: 'PUT',
      headers: { 'x-nuget-apikey': token, 'content-type': 'multipart/form-data; boundary=b' },
      body: new Uint8Array(Buffer.concat([Buffer.from(head + type), file, Buffer.from('\n--b--')])),
    })
    expect(answer.status).toBe(201)
    const stored = await fetch(`${base()}/package/mono/1.0.0/mono.1.0.0.nupkg`)
    expect(Buffer.from(await stored.arrayBuffer()).equals(file)).toBe(true)
  })

  it('lists the resources to everyone, and the packages of a private owner to those with rights', async () => {
    const index = JSON.parse((await get('index.json', 'vault')).text)
    expect(index.version).toBe('3.0.0')
    expect(index.resources).toContainEqual({ '@id': `${base('vault')}/query`, '@type': 'SearchQueryService' })
    for (const type of ['PackagePublish/2.0.0', 'LegacyGallery/2.0.0'])
      expect(index.resources).toContainEqual({ '@id': base('vault'), '@type': type })
    expect((await get('query', 'vault')).status).toBe(401)
    expect((await fetch(`${base('vault')}/query`, { headers: { 'x-nuget-apikey': token } })).status).toBe(200)
    expect((await push(nupkg('Keyless', '1.0.0'), '', {}))[0]).toBe(401)
    // A client is told to give any key for sources that have credentials: it sends those after the challenge.
    const wrong = { 'x-nuget-apikey': 'wrong' }
    const refused = await fetch(base(), { method: 'PUT', headers: wrong })
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="Ingot Package API"'])
    expect((await fetch(`${base()}/query`, { headers: wrong })).status).toBe(200)
  })

  it('shows registrations in ascending order of versions', async () => {
    const dependencies =
      '<dependencies><group targetFramework="net8.0"><dependency id="Dep" version="[1.0,2.0)"/></group><group/></dependencies>'
    for (const version of ['1.10.0', '1.9.0', '1.10.0-rc.1', '1.10.0-rc.1.2', '1.10.0.1'])
      expect((await push(nupkg('Order', version, dependencies)))[0]).toBe(201)
    const index = await json('registration/order/index.json')
    const at = `${base()}/registration/order`
    expect(index).toMatchObject({ '@id': `${at}/index.json`, count: 1 })
    const [page] = index.items
    expect(page).toMatchObject({ lower: '1.9.0', upper: '1.10.0.1', count: 5 })
    expect(page.items.map((one: { catalogEntry: { version: string } }) => one.catalogEntry.version)).toEqual([
      '1.9.0',
      '1.10.0-rc.1',
      '1.10.0-rc.1.2',
      '1.10.0',
      '1.10.0.1',
    ])
    expect(page.items[1]).toMatchObject({
      '@id': `${at}/1.10.0-rc.1.json`,
      packageContent: `${base()}/package/order/1.10.0-rc.1/order.1.10.0-rc.1.nupkg`,
      catalogEntry: {
        id: 'Order',
        authors: 'Ann, Bob',
        description: 'Says <hello>',
        isPrerelease: true,
        dependencyGroups: [
          { targetFramework: 'net8.0', dependencies: [{ id: 'Dep', range: '[1.0,2.0)' }] },
          { dependencies: [] },
        ],
      },
    })
    expect(await json('registration/order/1.9.0.json')).toMatchObject({
      registration: `${at}/index.json`,
      catalogEntry: { version: '1.9.0' },
    })
    expect((await get('registration/order/2.0.0.json')).status).toBe(404)
  })

  it('splits the registration of many versions into pages', async () => {
    const actor = { ...(await server.app.packageContents.findPackage(ann.user, 'nuget', 'Order'))! }
    const { metadata } = (await server.app.packageContents.listVersions(actor))[0]!
    await server.app.database.transaction(async (tx) => {
      const rows = Array.from({ length: 130 }, (_, minor) => `3.${minor}.0`).map((version) => ({
        package_id: actor.id,
        creator_id: Number(ann.user.id),
        version,
        lower_version: version,
        created_at: 1,
        metadata,
      }))
      await tx.insertInto('package_version').values(rows).execute()
    })
    // The rows are no publication; one makes the documents new.
    expect((await push(nupkg('Order', '4.0.0')))[0]).toBe(201)
    const { items } = await json('registration/order/index.json')
    expect(items.map(({ count }: { count: number }) => count)).toEqual([64, 64, 8])
    expect(items[2].items).toBeUndefined()
    const page = await json(items[2]['@id'].slice(base().length + 1))
    expect(page).toMatchObject({ lower: items[2].lower, upper: '4.0.0', count: 8 })
    expect(page.items).toHaveLength(8)
    expect((await get('registration/order/page/9.0.0/9.1.0.json')).status).toBe(404)
  })

  it('searches and completes names', async () => {
    await push(nupkg('Find.Me', '1.0.0'))
    await push(nupkg('Find.Me', '2.0.0-rc.1'))
    await push(nupkg('Find.Other', '1.0.0-rc.1'))
    const found = await json('query?q=FIND%20hello')
    expect(found).toMatchObject({
      totalHits: 1,
      data: [{ id: 'Find.Me', version: '1.0.0', authors: ['Ann', 'Bob'], tags: ['say', 'hello'] }],
    })
    const all = await json('query?q=find&prerelease=true&take=1&skip=1')
    expect([all.totalHits, all.data[0].id]).toEqual([2, 'Find.Other'])
    expect(await json('autocomplete?q=find&prerelease=true')).toEqual({
      totalHits: 2,
      data: ['Find.Me', 'Find.Other'],
    })
    expect(await json('autocomplete?id=find.me&prerelease=true')).toEqual({ data: ['1.0.0', '2.0.0-rc.1'] })
    expect((await get('query?take=x')).status).toBe(400)
  })

  it('serves the feed of old clients', async () => {
    await push(nupkg('Old', '1.0.0', '<dependencies><dependency id="Dep" version="1.0"/></dependencies>'))
    await push(nupkg('Old', '2.0.0'))
    await push(nupkg('Old', '3.0.0-a'))
    expect((await get('')).text).toContain('<collection href="Packages">')
    expect((await get('$metadata')).text).toContain('<EntityType Name="V2FeedPackage"')
    const versions = (text: string) => [...text.matchAll(/<d:Version>(.*?)<\/d:Version>/g)].map(([, one]) => one)
    const listed = await get("FindPackagesById()?id='Old'")
    expect(versions(listed.text)).toEqual(['1.0.0', '2.0.0', '3.0.0-a'])
    expect(listed.text).toContain('<d:Dependencies>Dep:1.0:</d:Dependencies>')
    expect(listed.text).toContain(`src="${base()}/package/old/1.0.0/old.1.0.0.nupkg"`)
    expect((await get("FindPackagesById()/$count?id='Old'")).text).toBe('3')
    expect((await get("FindPackagesById()?id='None'")).text).toContain('<m:count>0</m:count>')
    const first = (await get("Search()?searchTerm='old'&includePrerelease=false&$top=1")).text
    expect(versions(first)).toEqual(['1.0.0'])
    const next = /rel="next" href="([^"]*)"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect(versions(await (await fetch(next)).text())).toEqual(['2.0.0'])
    const latest = await get(`Packages()?$filter=${encodeURIComponent("(tolower(Id) eq 'old') and IsLatestVersion")}`)
    expect(versions(latest.text)).toEqual(['2.0.0'])
    expect(versions((await get("Packages(Id='old',Version='1.0')")).text)).toEqual(['1.0.0'])
    expect((await get("Packages(Id='old',Version='9.0')")).status).toBe(404)
    expect((await get('Packages()?$filter=Id%20gt%201')).status).toBe(400)
  })

  it('stores symbols of a version and finds them by the id of the PDB', async () => {
    const symbols = (id: string) => zipOf({ [`${id}.nuspec`]: nuspec(id, '1.0.0'), 'lib/net8.0/Sym.pdb': pdb() })
    expect((await push(symbols('Sym'), 'symbolpackage'))[0]).toBe(404)
    expect((await push(nupkg('Sym', '1.0.0')))[0]).toBe(201)
    expect(await push(symbols('Sym'), 'symbolpackage')).toEqual([201, ''])
    expect((await push(symbols('Sym'), 'symbolpackage'))[0]).toBe(409)
    const found = await fetch(`${base()}/symbols/sym.pdb/${GUID.toUpperCase()}FFFFFFFF/sym.pdb`)
    expect(Buffer.from(await found.arrayBuffer()).equals(pdb())).toBe(true)
    expect((await get(`symbols/sym.pdb/${'0'.repeat(32)}ffffffff/sym.pdb`)).status).toBe(404)
    const bad = zipOf({ 'Sym.nuspec': nuspec('Sym', '1.0.0'), 'x.pdb': 'BSJB no pdb' })
    expect(await push(bad, 'symbolpackage')).toEqual([400, '{"Message":"x.pdb is not a portable PDB"}'])
  })

  it('deletes versions', async () => {
    await push(nupkg('Gone', '1.0.0'))
    const remove = async (path: string) =>
      (await fetch(`${base()}/${path}`, { method: 'DELETE', headers: { 'x-nuget-apikey': token } })).status
    expect(await remove('gone/1.0.0.0')).toBe(204)
    expect(await remove('gone/1.0.0')).toBe(404)
    expect(await remove('gone/x')).toBe(404)
    expect((await get('registration/gone/index.json')).status).toBe(404)
    expect((await push(nupkg('Gone', '1.0.0')))[0]).toBe(201)
  })

  it('refuses an invalid package, and publishes nothing', async () => {
    const spec = nuspec('Bad', '1.0.0')
    const refused = [
      [Buffer.from('no zip'), /not a valid zip/],
      [Buffer.alloc(0), /zip/],
      [zipOf({ 'lib/Bad.nuspec': spec }), /one \.nuspec file at its root/],
      [zipOf({ 'Bad.nuspec': spec, 'b.nuspec': spec }), /one \.nuspec file at its root/],
      [zipOf({ 'Bad.nuspec': '<package>' }), /malformed/],
      [zipOf({ 'Bad.nuspec': `<!DOCTYPE x [<!ENTITY a "b">]>${spec}` }), /document type definition/],
      [zipOf({ 'Bad.nuspec': `${spec}${' '.repeat(1024 * 1024)}` }), /more than 1048576 bytes/],
      [zipOf({ 'Bad.nuspec': spec, '../x': 'x' }), /\.\./],
      [zipOf({ 'Else.nuspec': spec }), /is of the package Bad/],
      [zipOf({ 'B d.nuspec': nuspec('B d', '1.0.0') }), /the id of the package is invalid/],
      [nupkg('Bad', 'one'), /package version is invalid/],
      [nupkg('Bad', '1.0.0.0.0'), /package version is invalid/],
    ] as const
    for (const [file, message] of refused) {
      const [status, text] = await push(file)
      expect([status, JSON.parse(text).Message]).toEqual([400, expect.stringMatching(message)])
    }
    const raw = await fetch(base(), { method: 'PUT', headers: { 'x-nuget-apikey': token }, body: 'x' })
    expect(raw.status).toBe(400)
    expect((await get('registration/bad/index.json')).status).toBe(404)
  })

  it('accepts a version from one of several concurrent publishers', async () => {
    const sent = await Promise.all(
      ['a', 'b', 'c', 'd'].map((text) => push(nupkg('Race', '1.0.0', `<title>${text}</title>`))),
    )
    expect(sent.map(([status]) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409])
  })
})
