import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'
import { tarOf } from './archives.ts'
import { zipOf } from './zip.ts'

describeOnBoth('the CRAN registry', (kind) => {
  let server: TestServer
  let ann: Person

  beforeAll(async () => {
    server = await startServer({ on: kind })
    ann = await server.world.user('ann')
  })
  afterAll(() => server.close())

  const base = () => `${server.url}/api/packages/ann/cran`
  const authorization = `Basic ${Buffer.from(`ann:${PASSWORD}`).toString('base64')}`
  async function upload(path: string, body: Buffer, headers: Record<string, string> = { authorization }) {
    const answer = await fetch(`${base()}/${path}`, { method: 'PUT', headers, body: new Uint8Array(body) })
    return [answer.status, (await answer.text()).trim()] as const
  }
  const description = (name: string, version: string, more = '') =>
    `Package: ${name}\nTitle: A Title\nVersion: ${version}\nLicense: MIT + file LICENSE\n${more}`
  const packageOf = async (text: string, folder = 'tool') =>
    gzipSync(await tarOf({ [`${folder}/DESCRIPTION`]: text, [`${folder}/R/a.R`]: 'a <- 1\n' }))
  const get = async (path: string) => {
    const answer = await fetch(`${base()}/${path}`)
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()), headers: answer.headers }
  }
  const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex')

  it('lists the newest version of each package of sources', async () => {
    expect((await get('src/contrib/PACKAGES')).status).toBe(404)
    const more = 'Depends: R (>= 3.5),\n    methods\nImports: utils\nNeedsCompilation: no\nAuthor: A: B\n'
    const first = await packageOf(description('tool', '1.10.0', more))
    const second = await packageOf(description('base.x', '0.2-1'))
    expect(await upload('src', first)).toEqual([201, ''])
    expect(await upload('src', await packageOf(description('tool', '1.9.2')))).toEqual([201, ''])
    expect(await upload('src', second)).toEqual([201, ''])
    expect(await upload('src', first)).toEqual([409, 'package file already exists'])
    const index = await get('src/contrib/PACKAGES')
    expect(index.headers.get('content-type')).toMatch(/^text\/plain/)
    expect(index.bytes.toString()).toBe(
      `Package: tool\nVersion: 1.10.0\nDepends: R (>= 3.5), methods\nImports: utils\nLicense: MIT + file LICENSE\n` +
        `NeedsCompilation: no\nMD5sum: ${md5(first)}\n\n` +
        `Package: base.x\nVersion: 0.2-1\nLicense: MIT + file LICENSE\nMD5sum: ${md5(second)}\n`,
    )
    const zipped = await get('src/contrib/PACKAGES.gz')
    expect(zipped.headers.get('content-type')).toBe('application/x-gzip')
    expect(gunzipSync(zipped.bytes).equals(index.bytes)).toBe(true)
    const etag = index.headers.get('etag')!
    expect((await fetch(`${base()}/src/contrib/PACKAGES`, { headers: { 'if-none-match': etag } })).status).toBe(304)
    expect((await get('src/contrib/PACKAGES.rds')).status).toBe(404)
    for (const path of ['tool_1.9.2.tar.gz', 'Archive/tool/tool_1.9.2.tar.gz'])
      expect((await get(`src/contrib/${path}`)).status).toBe(200)
    expect((await get('src/contrib/tool_1.10.0.tar.gz')).bytes.equals(first)).toBe(true)
    await ann.client.delete('/packages/ann/cran/tool/1.10.0')
    expect((await get('src/contrib/PACKAGES')).bytes.toString()).toContain('Package: tool\nVersion: 1.9.2\n')
    expect((await get('src/contrib/tool_1.10.0.tar.gz')).status).toBe(404)
  })

  it('lists packages that were built for a platform and a version of R', async () => {
    const windows = zipOf({ 'tool/R/a.R': 'a <- 1\n', 'tool/DESCRIPTION': description('built', '1.0') })
    const mac = await packageOf(description('built', '1.0'))
    expect(await upload('bin?platform=windows&rversion=4.2', windows)).toEqual([201, ''])
    expect(await upload('bin?platform=macosx/big-sur-arm64&rversion=4.2', mac)).toEqual([201, ''])
    expect((await upload('bin?platform=windows&rversion=4.2', windows))[0]).toBe(409)
    const listed = (bytes: Buffer) =>
      `Package: built\nVersion: 1.0\nLicense: MIT + file LICENSE\nMD5sum: ${md5(bytes)}\n`
    expect((await get('bin/windows/contrib/4.2/PACKAGES')).bytes.toString()).toBe(listed(windows))
    expect((await get('bin/macosx/big-sur-arm64/contrib/4.2/PACKAGES')).bytes.toString()).toBe(listed(mac))
    expect((await get('bin/windows/contrib/4.3/PACKAGES')).status).toBe(404)
    expect((await get('bin/windows/contrib/4.2/built_1.0.zip')).bytes.equals(windows)).toBe(true)
    expect((await get('bin/macosx/big-sur-arm64/contrib/4.2/built_1.0.tgz')).bytes.equals(mac)).toBe(true)
    expect((await get('src/contrib/PACKAGES')).bytes.toString()).not.toContain('built')
  })

  it('refuses an invalid package, and publishes nothing', async () => {
    const good = await packageOf(description('bad', '1.0'))
    const long = description('bad', '1.0', `Depends: ${'x'.repeat(40_000)}\n`)
    const refused = [
      ['src', Buffer.from('garbage'), /archive|no DESCRIPTION/],
      ['src', Buffer.alloc(0), /no DESCRIPTION/],
      ['src', good.subarray(0, 60), /archive cannot be read/],
      ['src', gzipSync(await tarOf({ DESCRIPTION: description('bad', '1.0') })), /no DESCRIPTION/],
      ['src', gzipSync(await tarOf({ 'bad/DESCRIPTION': '->/etc/passwd' })), /no DESCRIPTION/],
      ['src', await packageOf('x'.repeat(300_000)), /more than 262144 bytes/],
      ['src', await packageOf(description('b', '1.0')), /name of the package/],
      ['src', await packageOf(description('../bad', '1.0')), /name of the package/],
      ['src', await packageOf(description('bad', '1')), /version of the package/],
      ['src', await packageOf(long), /field Depends is too long/],
      ['src', zipOf({ 'bad/DESCRIPTION': description('bad', '1.0') }), /package of sources/],
      ['bin', good, /platform is missing/],
      ['bin?platform=../windows&rversion=4.2', good, /platform is missing or invalid/],
      ['bin?platform=windows', good, /rversion is missing/],
      ['bin?platform=windows&rversion=4.2', zipOf({ 'x.txt': 'x' }), /no DESCRIPTION/],
    ] as const
    for (const [path, body, message] of refused)
      expect(await upload(path, body)).toEqual([400, expect.stringMatching(message)])
    expect(await upload('src', good, {})).toEqual([401, 'reqPackageAccess'])
    expect(await upload('src', await packageOf(description('Base.X', '0.1')))).toEqual([
      400,
      'there is a package called base.x already',
    ])
    expect((await get('src/contrib/PACKAGES')).bytes.toString()).not.toContain('bad')
  })
})
