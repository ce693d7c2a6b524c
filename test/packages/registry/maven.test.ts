import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'

const sum = (algorithm: string, text: string): string => createHash(algorithm).update(text).digest('hex')

describeOnBoth('the Maven registry', (kind) => {
  let server: TestServer
  let ann: Person
  let bob: Person

  beforeAll(async () => {
    server = await startServer({ on: kind })
    ann = await server.world.user('ann')
    bob = await server.world.user('bob')
    await server.world.org('vault', { owner: ann, visibility: 'private' })
  })
  afterAll(() => server.close())

  async function call(method: string, path: string, body?: string, { person = ann, owner = 'ann' } = {}) {
    const answer = await fetch(`${server.url}/api/packages/${owner}/maven/${path}`, {
      method,
      headers: { authorization: `Basic ${Buffer.from(`${person.name}:${PASSWORD}`).toString('base64')}` },
      body: body ?? null,
    })
    return { status: answer.status, text: (await answer.text()).trim(), headers: answer.headers }
  }
  const put = async (path: string, body: string) => {
    const { status, text } = await call('PUT', path, body)
    return [status, text] as const
  }
  const get = async (path: string): Promise<string> => (await call('GET', path)).text
  const pom = (artifact: string, version: string, more = ''): string =>
    `<?xml version="1.0"?>
<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>org.acme.lib</groupId><artifactId>${artifact}</artifactId><version>${version}</version>${more}</project>`
  const release = async (artifact: string, version: string): Promise<void> => {
    const at = `org/acme/lib/${artifact}/${version}/${artifact}-${version}`
    expect(await put(`${at}.jar`, `jar ${version}`)).toEqual([201, ''])
    expect(await put(`${at}.pom`, pom(artifact, version))).toEqual([201, ''])
  }

  it('stores the files of a version once and shows their checksums', async () => {
    await release('tool', '1.0')
    const jar = 'org/acme/lib/tool/1.0/tool-1.0.jar'
    expect((await put(jar, 'other'))[0]).toBe(409)
    const found = await call('GET', jar)
    expect([found.text, found.headers.get('content-type')]).toEqual(['jar 1.0', 'application/java-archive'])
    const head = await call('HEAD', 'org/acme/lib/tool/1.0/tool-1.0.pom')
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/xml'])
    for (const algorithm of ['md5', 'sha1', 'sha256', 'sha512'])
      expect(await get(`${jar}.${algorithm}`)).toBe(sum(algorithm, 'jar 1.0'))
    expect((await ann.client.get('/packages/ann/maven/org.acme.lib%3Atool/1.0/files')).json).toMatchObject([
      { name: 'tool-1.0.jar', size: 7 },
      { name: 'tool-1.0.pom' },
    ])
    for (const path of ['org/acme/lib/tool/1.0/none.jar', 'org/acme/lib/tool/2.0/tool-2.0.jar', 'no/such/x/1/x-1.jar'])
      expect((await call('GET', path)).status).toBe(404)
  })

  it('compares uploaded checksums and does not store them', async () => {
    await release('sums', '1.0')
    const jar = 'org/acme/lib/sums/1.0/sums-1.0.jar'
    expect(await put(`${jar}.sha1`, sum('sha1', 'jar 1.0'))).toEqual([200, ''])
    expect(await put(`${jar}.sha256`, `${sum('sha256', 'jar 1.0').toUpperCase()}  sums-1.0.jar\n`)).toEqual([200, ''])
    expect(await put(`${jar}.md5`, sum('md5', 'else'))).toEqual([400, 'hash mismatch'])
    expect(await put(`${jar}.sha512`, '')).toEqual([400, 'hash mismatch'])
    expect((await put(`${jar}.sha1`, 'a'.repeat(1025)))[0]).toBe(413)
    expect((await put('org/acme/lib/sums/1.0/none.jar.sha1', 'a'))[0]).toBe(404)
    expect((await ann.client.get('/packages/ann/maven/org.acme.lib%3Asums/1.0/files')).json).toHaveLength(2)
  })

  it('makes the metadata of an artifact from its versions', async () => {
    await release('meta', '1.0')
    await release('meta', '1.1')
    await release('meta', '1.2-SNAPSHOT')
    const path = 'org/acme/lib/meta/maven-metadata.xml'
    const document = await call('GET', path)
    expect(document.headers.get('content-type')).toBe('text/xml')
    expect(document.text.replaceAll(/\s+/g, '')).toBe(
      '<?xmlversion="1.0"encoding="UTF-8"?><metadata><groupId>org.acme.lib</groupId><artifactId>meta</artifactId>' +
        '<versioning><latest>1.2-SNAPSHOT</latest><release>1.1</release><versions><version>1.0</version>' +
        '<version>1.1</version><version>1.2-SNAPSHOT</version></versions></versioning></metadata>',
    )
    expect(await get(`${path}.sha1`)).toBe(sum('sha1', `${document.text}\n`))
    const etag = document.headers.get('etag') ?? ''
    const again = () => fetch(`${server.url}/api/packages/ann/maven/${path}`, { headers: { 'if-none-match': etag } })
    expect((await again()).status).toBe(304)
    expect(await put(path, '<metadata><versioning><latest>9</latest></versioning></metadata>')).toEqual([200, ''])
    expect(await put(`${path}.sha1`, 'anything')).toEqual([200, ''])
    expect(await get(path)).toBe(document.text)
    expect((await ann.client.delete('/packages/ann/maven/org.acme.lib%3Ameta/1.1')).status).toBe(204)
    expect((await again()).status).toBe(200)
    expect(await get(path)).toContain('<release>1.0</release>')
    expect((await call('GET', 'org/acme/lib/none/maven-metadata.xml')).status).toBe(404)
  })

  it('adds the builds of a snapshot and replaces its metadata', async () => {
    const at = 'org/acme/lib/snap/1.0-SNAPSHOT'
    for (const build of ['20260101.120000-1', '20260102.120000-2']) {
      expect(await put(`${at}/snap-1.0-${build}.jar`, build)).toEqual([201, ''])
      const metadata = `<metadata><versioning><lastUpdated>${build}</lastUpdated></versioning></metadata>`
      expect(await put(`${at}/maven-metadata.xml`, metadata)).toEqual([201, ''])
      expect(await put(`${at}/maven-metadata.xml.sha1`, sum('sha1', metadata))).toEqual([200, ''])
      expect(await get(`${at}/maven-metadata.xml`)).toBe(metadata)
      expect(await get(`${at}/maven-metadata.xml.md5`)).toBe(sum('md5', metadata))
    }
    expect((await put(`${at}/snap-1.0-20260101.120000-1.jar`, 'x'))[0]).toBe(409)
    expect(await get(`${at}/snap-1.0-20260101.120000-1.jar`)).toBe('20260101.120000-1')
    expect((await ann.client.get('/packages/ann/maven/org.acme.lib%3Asnap')).json).toMatchObject([
      { version: '1.0-SNAPSHOT' },
    ])
  })

  it('finds the plugins of a group by the prefixes that their publishers sent', async () => {
    await release('say-maven-plugin', '1.0')
    const plugin = (artifact: string, prefix: string): string =>
      `<plugin><name>Says &amp; does</name><prefix>${prefix}</prefix><artifactId>${artifact}</artifactId></plugin>`
    const path = 'org/acme/lib/maven-metadata.xml'
    expect((await call('GET', path)).status).toBe(404)
    const sent = `<metadata><plugins>${plugin('say-maven-plugin', 'say')}${plugin('none', 'none')}</plugins></metadata>`
    expect(await put(path, sent)).toEqual([200, ''])
    expect(await get(path)).toContain(`<plugins>\n    ${plugin('say-maven-plugin', 'say')}\n  </plugins>`)
    expect(await get(path)).not.toContain('none')
    // The path of a group may also be that of an artifact.
    expect(await put('org/acme/lib/1.0/lib-1.0.jar', 'jar')).toEqual([201, ''])
    expect(await get(path)).toMatch(/<artifactId>lib<\/artifactId>[^]*<prefix>say<\/prefix>/)
  })

  it('refuses paths and POMs that are invalid, and publishes nothing', async () => {
    const at = 'org/acme/lib/bad/1.0/bad-1.0.pom'
    const deep = `<project>${'<a>'.repeat(2000)}${'</a>'.repeat(2000)}</project>`
    const bomb = '<!DOCTYPE project [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><project><name>&b;&b;</name></project>'
    const refused = [
      ['bad-1.0.jar', 'x', 'request parameters are invalid'],
      ['org/1.0/bad-1.0.jar', 'x', 'request parameters are invalid'],
      ['org/b d/bad/1.0/bad.jar', 'x', 'request parameters are invalid'],
      ['org/%2e%2e/bad/1.0/bad.jar', 'x', 'request parameters are invalid'],
      ['org/acme/bad/[1,2]/bad.jar', 'x', 'request parameters are invalid'],
      ['org/acme//1.0/bad.jar', 'x', 'request parameters are invalid'],
      [at, 'no xml', expect.stringContaining('malformed')],
      [at, '<project><a></project>', expect.stringContaining("Expected closing tag 'a'")],
      [at, '<other/>', 'the POM has no element "project"'],
      [at, pom('else', '1.0'), 'the POM is of "else", its address of "bad"'],
      [at, pom('bad', '2.0'), 'the POM is of "2.0", its address of "1.0"'],
      [at, deep, expect.stringMatching(/malformed.*nested/)],
      [at, bomb, 'the XML has a document type definition'],
      ['org/acme/lib/maven-metadata.xml', '<other/>', 'maven-metadata.xml has no element "metadata"'],
    ] as const
    for (const [path, body, message] of refused)
      expect([path, ...(await put(path, body))]).toEqual([path, 400, message])
    expect((await put(at, `<project>${' '.repeat(1024 * 1024)}</project>`))[0]).toBe(413)
    expect((await ann.client.get('/packages/ann/maven/org.acme.lib%3Abad')).status).toBe(404)
    const inherited = '<project><parent><groupId>org.acme.lib</groupId><version>${rev}</version></parent></project>'
    expect(await put(at, inherited)).toEqual([201, ''])
  })

  it('accepts a version from one of several concurrent publishers', async () => {
    const path = 'org/acme/lib/race/1.0/race-1.0.jar'
    const sent = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(async (body) => [(await put(path, body))[0], body]))
    const published = sent.filter(([status]) => status === 201)
    expect(published).toHaveLength(1)
    expect(sent.filter(([status]) => status === 409)).toHaveLength(4)
    expect(await get(path)).toBe(published[0]![1])
  })

  it('answers a challenge to those without rights', async () => {
    const path = 'org/acme/x/1/x-1.jar'
    for (const [method, owner] of [
      ['PUT', 'ann'],
      ['GET', 'vault'],
    ] as const) {
      const answer = await call(method, path, method === 'PUT' ? 'x' : undefined, { person: bob, owner })
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="Ingot Package API"'])
    }
    expect((await call('DELETE', path)).headers.get('allow')).toBe('GET, HEAD, PUT')
  })
})
