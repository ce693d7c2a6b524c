import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
const SLSA = 'https://slsa.dev/provenance/v1'

describeOnBoth('attestations of packages', (kind) => {
  let server: TestServer
  let ann: Person
  let token: string

  beforeAll(async () => {
    server = await startServer({ on: kind })
    ann = await server.world.user('ann')
    token = await ann.token('write:package')
  })
  afterAll(() => server.close())

  const call = (path: string, init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {}) =>
    fetch(`${server.url}${path}`, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } })
  const page = async (path: string): Promise<string> => (await call(`/ann/-/packages/${path}`)).text()

  const tarball = Buffer.from('a tarball')
  const sha512 = createHash('sha512').update(tarball)
  const [integrity, hex] = [`sha512-${sha512.copy().digest('base64')}`, sha512.digest('hex')]
  const statement = (name: string, digest = hex) => ({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name, digest: { sha512: digest } }],
    predicateType: SLSA,
    predicate: {
      buildDefinition: {
        resolvedDependencies: [{ uri: 'git+https://git.example.com/ann/lib<b>', digest: { gitCommit: 'c0ffee' } }],
      },
      runDetails: { builder: { id: 'https://git.example.com/runner' } },
    },
  })
  const bundleOf = (content: unknown) => ({
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    dsseEnvelope: { payload: btoa(JSON.stringify(content)), signatures: [{ sig: 'c2ln', keyid: '' }] },
  })
  /** Publishes like `npm publish --provenance`. */
  const publish = async (name: string, bundle: unknown, isFirst = false) => {
    const data = typeof bundle === 'string' ? bundle : JSON.stringify(bundle)
    const provenance = { [`${name}-1.0.0.sigstore`]: { content_type: 'x', data, length: data.length } }
    const content = { [`${name}-1.0.0.tgz`]: { content_type: 'y', data: tarball.toString('base64') } }
    const answer = await call(`/api/packages/ann/npm/${name.replace('/', '%2f')}`, {
      method: 'PUT',
      body: JSON.stringify({
        _id: name,
        name,
        'dist-tags': { latest: '1.0.0' },
        versions: { '1.0.0': { name, version: '1.0.0', dist: { integrity } } },
        _attachments: isFirst ? { ...provenance, ...content } : { ...content, ...provenance },
      }),
    })
    return [answer.status, await answer.text()] as const
  }

  it('gives out the provenance of an npm package as the registry of npm does, and shows what it says', async () => {
    for (const [name, encoded, purl, isFirst] of [
      ['@team/lib', '@team%2flib', 'pkg:npm/%40team/lib@1.0.0', false],
      ['plain', 'plain', 'pkg:npm/plain@1.0.0?repository_url=http://x', true],
    ] as const) {
      const bundle = bundleOf(statement(purl))
      expect(await publish(name, bundle, isFirst)).toEqual([201, ''])
      const packument = await (await call(`/api/packages/ann/npm/${encoded}`)).json()
      const { dist } = packument.versions['1.0.0']
      const url = `${server.url}/api/packages/ann/npm/-/npm/v1/attestations/${encoded}@1.0.0`
      expect(dist).toMatchObject({ integrity, attestations: { url, provenance: { predicateType: SLSA } } })
      expect(Buffer.from(await (await call(new URL(dist.tarball).pathname)).arrayBuffer())).toEqual(tarball)
      for (const path of [url, url.replace('%2f', '/')])
        expect(await (await call(new URL(path).pathname)).json()).toEqual({
          attestations: [{ predicateType: SLSA, bundle }],
        })
    }
    const shown = await page('npm/%40team/lib/1.0.0')
    for (const text of ['lib-1.0.0.sigstore', SLSA, 'ann/lib&lt;b&gt;', 'c0ffee', 'has verified neither'])
      expect(shown).toContain(text)
    const files = (await ann.client.get('/packages/ann/npm/plain/1.0.0/files')).json as { name: string }[]
    expect(files.map(({ name }) => name)).toEqual(['plain-1.0.0.tgz', 'plain-1.0.0.sigstore'])
  })

  it('refuses provenance of another package, and invalid provenance', async () => {
    for (const [bundle, message] of [
      [bundleOf(statement('pkg:npm/other@1.0.0')), 'the provenance is not of this package'],
      [bundleOf(statement('pkg:npm/bad@1.0.1')), 'the provenance is not of this package'],
      [bundleOf(statement('pkg:npm/bad@1.0.0', 'ab'.repeat(64))), 'the provenance is not of this package'],
      ['no JSON', 'the provenance is not a Sigstore bundle with a statement'],
      [{ dsseEnvelope: { payload: 7 } }, 'the provenance is not a Sigstore bundle with a statement'],
      [[], 'the provenance is not a Sigstore bundle with a statement'],
      ['x'.repeat(1_100_000), 'the provenance has more than 1048576 characters'],
    ] as const)
      expect(await publish('bad', bundle)).toEqual([400, JSON.stringify({ error: message })])
    expect((await call('/api/packages/ann/npm/bad')).status).toBe(404)
    expect((await call('/api/packages/ann/npm/-/npm/v1/attestations/bad@1.0.0')).status).toBe(404)
  })

  it('shows signatures and bills of materials that refer to an image', async () => {
    const push = async (reference: string, more: object): Promise<string> => {
      const empty = `sha256:${createHash('sha256').update('{}').digest('hex')}`
      await call(`/v2/ann/app/blobs/uploads/?digest=${empty}`, { method: 'POST', body: '{}' })
      const config = { mediaType: 'application/vnd.oci.empty.v1+json', digest: empty, size: 2 }
      const text = JSON.stringify({ schemaVersion: 2, mediaType: MANIFEST, config, layers: [], ...more })
      const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`
      const init = { method: 'PUT', headers: { 'content-type': MANIFEST }, body: text }
      expect((await call(`/v2/ann/app/manifests/${reference || digest}`, init)).status).toBe(201)
      return digest
    }
    const signIn = { headers: { authorization: `Basic ${btoa(`ann:${token}`)}` } }
    token = (await (await fetch(`${server.url}/v2/token`, signIn)).json()).token
    const image = await push('1.0', {})
    const subject = { mediaType: MANIFEST, digest: image, size: 1 }
    const sbom = await push('', { artifactType: 'application/spdx+json', subject })
    const annotations = { 'dev.sigstore.bundle.predicateType': SLSA }
    await push('', { artifactType: 'application/vnd.dev.sigstore.bundle.v0.3+json', subject, annotations })
    await push(`${image.replace(':', '-')}.sig`, { annotations: { cosign: 'y' } })
    token = await ann.token('read:package')
    const shown = await page('container/app/1.0')
    for (const text of [sbom, 'application/spdx+json', `Statement: ${SLSA}`, '<li>signature <small>'])
      expect(shown).toContain(text)
    expect(await page(`container/app/${sbom}`)).not.toContain('Attestations')
  })
})
