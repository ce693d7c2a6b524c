import { gunzipSync } from 'node:zlib'
import { XMLParser } from 'fast-xml-parser'
import { createMessage, readKey, readSignature, verify } from 'openpgp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sha256Hex } from '../../../src/core/platform/crypto/crypto.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD } from '../../harness/world.ts'
import { rpmOf, type RpmValue } from './rpm-package.ts'

describeOnBoth('the RPM registry', (kind) => {
  let server: TestServer

  beforeAll(async () => {
    server = await startServer({ on: kind })
    for (const name of ['ann', 'bob']) await server.world.user(name)
  })
  afterAll(() => server.close())

  const base = () => `${server.url}/api/packages/ann/rpm`
  const as = (owner: string) => ({ authorization: `Basic ${Buffer.from(`${owner}:${PASSWORD}`).toString('base64')}` })
  async function upload(body: Buffer, group = '', owner = 'ann') {
    const headers = as(owner)
    const answer = await fetch(`${base()}${group}/upload`, { method: 'PUT', headers, body: new Uint8Array(body) })
    return [answer.status, (await answer.text()).trim()] as const
  }
  const packageOf = (more: Readonly<Record<number, RpmValue>> = {}, payload?: string) =>
    rpmOf(
      {
        1000: 'tool',
        1001: '1.0',
        1002: '2',
        1004: 'A <tool> & more',
        1022: 'x86_64',
        1044: 'tool-1.0-2.src.rpm',
        ...more,
      },
      payload,
    )
  const get = async (path: string) => {
    const answer = await fetch(`${base()}/${path}`)
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) }
  }
  const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '@', parseTagValue: false })
  const xml = (bytes: Buffer) => parser.parse(bytes.toString())
  const list = async (name: string, group = '') => xml(gunzipSync((await get(`${group}repodata/${name}.xml.gz`)).bytes))
  const names = async (group: string): Promise<string[]> => {
    const { metadata } = await list('primary', group)
    return [metadata.package].flat().map(({ name }) => name)
  }

  it('lists packages in signed metadata', async () => {
    const first = packageOf({
      1003: [2],
      1005: 'Long "text"',
      1006: [1_700_000_000],
      1009: [4096],
      1030: [0o100755, 0o040755, 0o100644],
      1037: [0, 0, 1 << 6],
      1047: ['tool', 'tool(x86-64)'],
      1049: ['libc.so.6()(64bit)', 'base', 'rpmlib(CompressedFileNames)'],
      1048: [0, 12, 10],
      1050: ['', '1:2.0-3', '3.0'],
      1112: [8, 0],
      1113: ['2:1.0-2', ''],
      1080: [1_700_000_000, 1_600_000_000],
      1081: ['Ann <a@example.test>', 'Bob'],
      1082: ['- newer', '- older'],
      1116: [0, 1, 1],
      1117: ['tool', 'tool', 'ghost'],
      1118: ['/usr/bin/', '/usr/share/'],
    })
    expect(await upload(first)).toEqual([201, ''])
    expect(await upload(first)).toEqual([409, 'package file already exists'])
    const { metadata } = await list('primary')
    const location = 'package/tool/2-1.0-2/x86_64/tool-2-1.0-2.x86_64.rpm'
    expect(metadata['@packages']).toBe('1')
    expect(metadata.package).toMatchObject({
      '@type': 'rpm',
      name: 'tool',
      arch: 'x86_64',
      version: { '@epoch': '2', '@ver': '1.0', '@rel': '2' },
      checksum: { '@type': 'sha256', '@pkgid': 'YES', '#text': sha256Hex(first) },
      summary: 'A <tool> & more',
      description: 'Long "text"',
      time: { '@build': '1700000000' },
      size: { '@package': String(first.length), '@installed': '4096', '@archive': '512' },
      location: { '@href': location },
      format: {
        'rpm:sourcerpm': 'tool-1.0-2.src.rpm',
        'rpm:provides': {
          'rpm:entry': [
            { '@name': 'tool', '@flags': 'EQ', '@epoch': '2', '@ver': '1.0', '@rel': '2' },
            { '@name': 'tool(x86-64)' },
          ],
        },
        'rpm:requires': {
          'rpm:entry': [
            { '@name': 'libc.so.6()(64bit)' },
            { '@name': 'base', '@flags': 'GE', '@epoch': '1', '@ver': '2.0', '@rel': '3' },
          ],
        },
        file: '/usr/bin/tool',
      },
    })
    expect((await list('filelists')).filelists.package).toMatchObject({
      '@pkgid': sha256Hex(first),
      '@name': 'tool',
      file: [
        '/usr/bin/tool',
        { '@type': 'dir', '#text': '/usr/share/tool' },
        { '@type': 'ghost', '#text': '/usr/share/ghost' },
      ],
    })
    expect((await list('other')).otherdata.package.changelog).toMatchObject([
      { '@author': 'Bob', '@date': '1600000000', '#text': '- older' },
      { '@author': 'Ann <a@example.test>', '#text': '- newer' },
    ])

    const repomd = await get('repodata/repomd.xml')
    const { data } = xml(repomd.bytes).repomd
    for (const { '@type': name, checksum, size, 'open-checksum': open, 'open-size': openSize } of data) {
      const zipped = (await get(`repodata/${name}.xml.gz`)).bytes
      expect([checksum['#text'], size]).toEqual([sha256Hex(zipped), String(zipped.length)])
      const plain = gunzipSync(zipped)
      expect([open['#text'], openSize]).toEqual([sha256Hex(plain), String(plain.length)])
    }
    const { signatures } = await verify({
      message: await createMessage({ binary: repomd.bytes }),
      signature: await readSignature({ armoredSignature: (await get('repodata/repomd.xml.asc')).bytes.toString() }),
      verificationKeys: await readKey({ armoredKey: (await get('repository.key')).bytes.toString() }),
    })
    expect(await signatures[0]!.verified).toBe(true)
    expect((await get(location)).bytes.equals(first)).toBe(true)
    expect((await get('package/tool/2-1.0-2/x86_64')).bytes.equals(first)).toBe(true)
  })

  it('names files in the index as they are, which clients encode', async () => {
    const body = packageOf({ 1000: 'c++lib', 1001: '2.0~rc1+git^2', 5009: [8192] })
    expect(await upload(body, '/signs')).toEqual([201, ''])
    const { metadata } = await list('primary', 'signs/')
    // Packages of 4 GiB and more have this tag in place of the shorter one.
    expect(metadata.package.size['@installed']).toBe('8192')
    const location = metadata.package.location['@href'] as string
    expect(location).toBe('package/c++lib/2.0~rc1+git^2-2/x86_64/c++lib-2.0~rc1+git^2-2.x86_64.rpm')
    const encoded = location.split('/').map(encodeURIComponent).join('/')
    for (const path of [location, encoded]) expect((await get(`signs/${path}`)).bytes.equals(body)).toBe(true)
  })

  it('separates groups, and deletes packages', async () => {
    const body = packageOf({ 1000: 'grouped' })
    for (const group of ['/el9', '/el9/extras']) expect(await upload(body, group)).toEqual([201, ''])
    await upload(packageOf({ 1000: 'other' }), '/el9')
    expect(await names('el9/')).toEqual(['grouped', 'other'])
    expect(await names('el9/extras/')).toEqual(['grouped'])
    expect(await names('')).not.toContain('grouped')
    const remove = () => fetch(`${base()}/el9/package/grouped/1.0-2/x86_64`, { method: 'DELETE', headers: as('ann') })
    expect((await remove()).status).toBe(204)
    expect((await remove()).status).toBe(404)
    expect(await names('el9/')).toEqual(['other'])
    expect(await names('el9/extras/')).toEqual(['grouped'])
    const repo = await (await fetch(`${base()}.repo`)).text()
    expect(repo).toContain(`[ingot-ann]\nname=ingot-ann\nbaseurl=${base()}\nenabled=1\n`)
    expect(repo).toContain(`repo_gpgcheck=1\ngpgkey=${base()}/repository.key\n`)
    expect((await get('el9/extras.repo')).bytes.toString()).toContain(`baseurl=${base()}/el9/extras\n`)
  })

  it('lets one of several publishers of a file succeed', async () => {
    const sent = Array.from({ length: 5 }, (_, index) =>
      upload(packageOf({ 1000: 'race' }, `payload ${index}`), '/race'),
    )
    const statuses = (await Promise.all(sent)).map(([status]) => status).toSorted((a, b) => a - b)
    expect(statuses).toEqual([201, 409, 409, 409, 409])
    expect(await names('race/')).toEqual(['race'])
  })

  it('refuses an invalid package, and publishes nothing', async () => {
    const whole = packageOf()
    const forged = (at: number, value: number) => {
      const bytes = Buffer.from(whole)
      bytes.writeUInt32BE(value, at)
      return bytes
    }
    const refused = [
      [Buffer.from('garbage'), /not an RPM package/],
      [Buffer.alloc(0), /not an RPM package/],
      [whole.subarray(0, 200), /not an RPM package/],
      [forged(96 + 8, 0xffffffff), /too large/],
      [forged(96 + 12, 0xfffffff0), /too large/],
      [packageOf({ 1000: '../tool' }), /name of the package/],
      [packageOf({ 1001: '1-0' }), /version of the package/],
      [packageOf({ 1002: '' }), /version of the package/],
      [packageOf({ 1022: 'x/y' }), /architecture of the package/],
    ] as const
    for (const [body, message] of refused)
      expect(await upload(body, '/bad')).toEqual([400, expect.stringMatching(message)])
    expect((await upload(whole, '/.bad'))[0]).toBe(400)
    expect((await upload(whole, '/bad', 'bob'))[0]).toBe(401)
    const signing = await fetch(`${base()}/bad/upload?sign=true`, {
      method: 'PUT',
      headers: as('ann'),
      body: new Uint8Array(whole),
    })
    expect(signing.status).toBe(400)
    expect((await get('bad/repodata/repomd.xml')).status).toBe(404)
  })
})
