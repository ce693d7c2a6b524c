import { afterAll, beforeAll, expect, it } from 'vitest'
import { sha256Hex } from '../../../src/core/platform/crypto/crypto.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'
import { zipOf } from './zip.ts'

describeOnBoth('the Python registry', (kind) => {
  let server: TestServer
  let ann: Person

  beforeAll(async () => {
    server = await startServer({ on: kind })
    ann = await server.world.user('ann')
  })
  afterAll(() => server.close())

  const base = () => `${server.url}/api/packages/ann/pypi`
  const authorization = `Basic ${Buffer.from(`ann:${PASSWORD}`).toString('base64')}`

  interface Sent {
    readonly name?: string
    readonly version?: string
    readonly file?: string
    readonly content?: string | Buffer
    readonly sum?: string
    readonly python?: string
  }
  async function upload({ name = 'Some_Pkg', version = '1.0', file = 'some_pkg-1.0-py3-none-any.whl', ...more }: Sent) {
    const { content = 'wheel', sum = sha256Hex(content), python } = more
    const form = new FormData()
    const fields = {
      ':action': 'file_upload',
      metadata_version: '2.1',
      name,
      version,
      sha256_digest: sum,
      summary: 'S',
    }
    for (const [key, value] of Object.entries(fields)) form.append(key, value)
    if (python !== undefined) form.append('requires_python', python)
    form.append('content', new File([new Uint8Array(Buffer.from(content))], file))
    const answer = await fetch(`${base()}/`, { method: 'POST', headers: { authorization }, body: form })
    return [answer.status, (await answer.text()).trim()] as const
  }
  const get = async (path: string, accept = '*/*') => {
    const answer = await fetch(`${base()}/${path}`, { headers: { accept } })
    return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() }
  }

  it('stores the files of a version and lists them for every spelling of the name', async () => {
    expect(await upload({ python: '>=3.8' })).toEqual([201, ''])
    expect(await upload({ name: 'some.pkg', file: 'some-pkg-1.0.tar.gz', content: 'sdist' })).toEqual([201, ''])
    expect((await upload({}))[0]).toBe(409)
    const url = `${base()}/files/some-pkg/1.0/some_pkg-1.0-py3-none-any.whl`
    for (const path of ['simple/some-pkg', 'simple/SOME...pkg/']) {
      const { status, text } = await get(path)
      expect(status).toBe(200)
      expect(text).toContain('<title>Links for Some-Pkg</title>')
      expect(text).toContain(
        `<a href="${url}#sha256=${sha256Hex('wheel')}" data-requires-python="&gt;=3.8">some_pkg-1.0-py3-none-any.whl</a>`,
      )
      expect(text).toContain(`some-pkg-1.0.tar.gz#sha256=${sha256Hex('sdist')}">some-pkg-1.0.tar.gz</a>`)
    }
    expect((await get('files/Some_Pkg/1.0/some-pkg-1.0.tar.gz')).text).toBe('sdist')
    expect((await ann.client.get('/packages/ann/pypi/some-pkg/1.0')).json).toMatchObject({ name: 'Some-Pkg' })
  })

  it('answers in JSON to clients that take it, and lists all projects', async () => {
    await upload({ name: 'json-pkg', file: 'json_pkg-1.0.zip', python: '>=3' })
    const type = 'application/vnd.pypi.simple.v1+json'
    const found = await get('simple/json-pkg/', type)
    expect([found.status, found.type]).toEqual([200, type])
    expect(JSON.parse(found.text)).toMatchObject({
      meta: { 'api-version': '1.0' },
      name: 'json-pkg',
      files: [
        { filename: 'json_pkg-1.0.zip', hashes: { sha256: sha256Hex('wheel') }, 'requires-python': '>=3', size: 5 },
      ],
    })
    expect(JSON.parse((await get('simple/', type)).text).projects).toContainEqual({ name: 'json-pkg' })
    expect((await get('simple/')).text).toContain(`<a href="${base()}/simple/json-pkg/">json-pkg</a>`)
    expect((await get('simple/none/')).status).toBe(404)
  })

  const METADATA = 'Metadata-Version: 2.1\r\nName: meta.pkg\r\nVersion: 1.0\r\n\r\nName: none\r\n'
  const wheel = (metadata: string, more: Record<string, string> = {}) =>
    zipOf({ 'meta_pkg.py': '', 'meta_pkg-1.0.dist-info/METADATA': metadata, ...more })

  it('serves the metadata of wheels apart from them', async () => {
    const file = 'meta_pkg-1.0-py3-none-any.whl'
    const sent = { name: 'Meta_Pkg', file, content: wheel(METADATA) }
    expect(await upload(sent)).toEqual([201, ''])
    const sum = sha256Hex(METADATA)
    expect((await get('simple/meta-pkg/')).text).toContain(
      `" data-dist-info-metadata="sha256=${sum}" data-core-metadata="sha256=${sum}">${file}</a>`,
    )
    const index = JSON.parse((await get('simple/meta-pkg/', 'application/vnd.pypi.simple.v1+json')).text)
    expect(index.files).toMatchObject([{ filename: file, 'core-metadata': { sha256: sum } }])
    const found = await fetch(`${index.files[0].url}.metadata`)
    expect([found.status, found.headers.get('etag'), await found.text()]).toEqual([200, `"${sum}"`, METADATA])
  })

  it('has no metadata of files that are no wheels with one description', async () => {
    const other = wheel(METADATA, { 'other-1.0.dist-info/METADATA': METADATA })
    const large = wheel(METADATA + ' '.repeat(2 * 1024 * 1024))
    const files = {
      'plain-1.0-py2-none-any.whl': 'no archive',
      'plain-1.0-py3-none-any.whl': zipOf({ 'plain.py': '' }),
      'plain-1.0-py4-none-any.whl': other,
      'plain-1.0-py5-none-any.whl': large,
      'plain-1.0.zip': wheel(METADATA),
    }
    for (const [file, content] of Object.entries(files)) {
      expect([file, ...(await upload({ name: 'plain', file, content }))]).toEqual([file, 201, ''])
      expect((await get(`files/plain/1.0/${file}.metadata`)).status).toBe(404)
    }
    const { text } = await get('simple/plain/')
    expect(text).toContain('plain-1.0.zip')
    expect(text).not.toContain('metadata="')
  })

  it('refuses a wheel whose metadata are of another project or version', async () => {
    const refusal = async (name: string, version: string, metadata: string) =>
      upload({ name, version, file: 'x-1.0-py3-none-any.whl', content: wheel(metadata) })
    expect(await refusal('other', '1.0', METADATA)).toEqual([400, 'the metadata of the wheel are of meta.pkg 1.0'])
    expect(await refusal('meta-pkg', '1.1', METADATA)).toEqual([400, 'the metadata of the wheel are of meta.pkg 1.0'])
    expect((await refusal('meta-pkg', '1.0', 'Name: meta-pkg\n\nVersion: 1.0\n'))[0]).toBe(400)
    expect((await get('simple/other/')).status).toBe(404)
    expect(await refusal('meta-pkg', '1.0.0', METADATA)).toEqual([201, ''])
  })

  it('refuses uploads that are invalid, and publishes nothing', async () => {
    const refused = [
      [{ name: '-bad' }, 'invalid name or version'],
      [{ version: 'one' }, 'invalid name or version'],
      [{ file: '../x.whl' }, 'invalid filename'],
      [{ file: 'x.exe' }, 'invalid filename'],
      [{ sum: sha256Hex('else') }, 'hash mismatch'],
      [{ sum: '' }, 'hash mismatch'],
    ] as const
    for (const [sent, message] of refused) {
      const answer = await upload({ name: 'refused', ...sent })
      expect([sent, ...answer]).toEqual([sent, 400, message])
    }
    const post = async (body: string, type: string) => {
      const headers = { authorization, 'content-type': type }
      return (await fetch(base(), { method: 'POST', headers, body })).status
    }
    expect(await post('{}', 'application/json')).toBe(400)
    expect(await post('--x\r\ncontent-disposition: form-data', 'multipart/form-data; boundary=x')).toBe(400)
    expect(await post('x', 'multipart/form-data; x')).toBe(400)
    expect((await get('simple/refused/')).status).toBe(404)
  })
})
