import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { environmentName, listSettings } from '../../src/core/config/schema.ts'
import { loadConfig } from '../../src/core/config/index.ts'
import type { Any } from '../harness/client.ts'
import { hasProgram } from '../harness/gpg.ts'
import { startServer, type TestServer } from '../harness/server.ts'

const KUBERNETES = 'deploy/kubernetes'
const read = (path: string): string => readFileSync(path, 'utf8')
const [dockerfile, balancer, unit] = ['Dockerfile', 'deploy/haproxy.cfg', 'deploy/ingot.service'].map(read) as [
  string,
  string,
  string,
]
const compose = {
  one: parse(read('deploy/compose.yaml'), { merge: true }) as Any,
  nodes: parse(read('deploy/compose.nodes.yaml'), { merge: true }) as Any,
}
const manifestFiles = readdirSync(KUBERNETES).filter((name) => name.endsWith('.yaml'))
const manifests: Any[] = manifestFiles.flatMap((name) =>
  parseAllDocuments(read(join(KUBERNETES, name)), { strict: true, uniqueKeys: true }).map((document) => {
    expect(document.errors, name).toEqual([])
    return document.toJS() as Any
  }),
)
const manifest = (kind: string, name = 'ingot'): Any =>
  manifests.find((found) => found.kind === kind && found.metadata?.name.startsWith(name))
const set = manifest('StatefulSet')
const [container] = set.spec.template.spec.containers
const services = Object.entries<Any>({ ...compose.one.services, ...compose.nodes.services })
const nodes = services.filter(([, { image }]) => image.startsWith('ingot:'))
const settings: Readonly<Record<string, string>> = manifest('ConfigMap').data
const secrets: Readonly<Record<string, string>> = manifest('Secret').stringData
const assignments = Object.fromEntries(
  [...unit.matchAll(/^Environment=(.+)$/gm)].flatMap(([, line]) => line!.split(' ').map((pair) => pair.split('='))),
)
const probed = [container.startupProbe, container.readinessProbe].map(({ httpGet }: Any) => httpGet.path as string)
const defaults = loadConfig({ environment: {} })
/** Seconds after the shutdown timeout until a worker is killed. */
const GRACE = 10

describe('the files in deploy', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.close())

  it('name settings that exist, with values that are allowed', () => {
    const known = new Set(['INGOT_CONFIG', ...listSettings().map(environmentName)])
    const texts = [
      ...services.map(([, service]) => JSON.stringify(service)),
      JSON.stringify(manifests),
      unit,
      dockerfile,
    ]
    // A variable of compose itself, not one of a container.
    const named = new Set(
      texts.flatMap((text) => text.replaceAll('${INGOT_ROOT_URL', '').match(/\bINGOT_[A-Z0-9_]+/g) ?? []),
    )
    expect([...named].filter((name) => !known.has(name))).toEqual([])
    expect(named.size).toBeGreaterThan(15)
    const filled = Object.fromEntries(
      Object.keys(secrets).map((name) => [name, name === 'INGOT_DATABASE_URL' ? 'postgres://u:p@h/d' : 'x'.repeat(64)]),
    )
    const environments = [
      ...nodes.map(([, { environment }]) => own(environment)),
      { ...own(settings), ...filled },
      own(assignments),
    ]
    for (const environment of environments) expect(() => loadConfig({ environment })).not.toThrow()
  })

  it('agree with the ports and the volume of the image', () => {
    const exposed = /^EXPOSE (.+)$/m.exec(dockerfile)![1]!.split(' ').map(Number)
    expect(exposed).toEqual([defaults.server.port, defaults.ssh.port])
    expect(container.ports.map(({ containerPort }: Any) => containerPort)).toEqual(exposed)
    const published = (service: Any): number[] => service.ports.map((port: string) => Number(port.split(':').at(-1)))
    for (const service of [compose.one.services.ingot, compose.nodes.services.balancer])
      expect(published(service)).toEqual(exposed)
    const bound = [...balancer.matchAll(/^ +bind :(\d+)$/gm)].map(([, port]) => Number(port))
    expect(bound).toEqual(exposed)
    for (const [name] of nodes.filter(([found]) => found.startsWith('node')))
      for (const port of exposed) expect(balancer).toContain(`server ${name} ${name}:${port}`)
    const [volume] = /(?<=^VOLUME ).+$/m.exec(dockerfile)!
    for (const [name, node] of nodes) expect(node.volumes, name).toEqual([`data:${volume}`])
    expect(container.volumeMounts).toContainEqual({ name: 'data', mountPath: volume })
    expect(settings['INGOT_DATA_DIR']).toMatch(new RegExp(`^${volume}/`))
    const names = container.ports.map(({ name }: Any) => name)
    for (const service of manifests.filter(({ kind }) => kind === 'Service'))
      for (const { targetPort } of service.spec.ports) expect(names).toContain(targetPort)
  })

  it('let clients reach SSH, and replace what they say of their address and protocol', () => {
    expect(assignments['INGOT_SSH_HOST']).toBe('0.0.0.0')
    expect(defaults.ssh.host).toBe('127.0.0.1')
    for (const name of ['X-Forwarded-For', 'X-Forwarded-Proto'])
      expect(balancer).toMatch(new RegExp(`^ +http-request set-header ${name} %`, 'm'))
  })

  it('let a server that is not root listen on the ports of HTTPS', () => {
    // NOTE: `!override` is a tag of compose.
    const { ingot } = (parse(read('deploy/compose.https.yaml').replace('!override', '')) as Any).services
    const base = own(compose.one.services.ingot.environment)
    const environment = { ...base, ...own(ingot.environment), INGOT_SERVER_ROOT_URL: 'https://git.example.org' }
    const { server: address, tls } = loadConfig({ environment })
    expect(ingot.ports).toEqual(expect.arrayContaining(['80:80', `${address.port}:443`]))
    expect([address.port, tls.acme, tls.http_port]).toEqual([443, true, -1])
    expect(Number(ingot.sysctls['net.ipv4.ip_unprivileged_port_start'])).toBeLessThanOrEqual(80)
    expect(unit).toMatch(/^AmbientCapabilities=CAP_NET_BIND_SERVICE$/m)
  })

  it('probe addresses that answer', async () => {
    const checked = [...balancer.matchAll(/httpchk GET (\S+)/g)].map(([, path]) => path!)
    const [image] = /(?<=127\.0\.0\.1:\d+)\/[^']+/.exec(dockerfile)!
    expect(checked).toHaveLength(2)
    for (const path of new Set([...probed, ...checked, image]))
      expect((await fetch(server.url + path)).status, path).toBe(200)
    expect(container.livenessProbe.tcpSocket.port).toBe('http')
  })

  it('give a server that stops as long as it may take', () => {
    const delay = (environment: Any): number => Number(environment['INGOT_SERVER_SHUTDOWN_DELAY'] ?? 0)
    const patience = (environment: Any): number =>
      Number(environment['INGOT_SERVER_SHUTDOWN_TIMEOUT'] ?? defaults.server.shutdown_timeout) +
      delay(environment) +
      GRACE
    for (const [name, node] of nodes)
      expect(Number.parseInt(node.stop_grace_period, 10), name).toBeGreaterThan(patience(node.environment))
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(patience(assignments))
    expect(set.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(patience(settings))
  })

  it('name images by version and contain no secret', () => {
    for (const { image } of [...services.map(([, service]) => service), container])
      expect(image).toMatch(/^[a-z0-9/-]+:v?\d+\.\d+[\d.]*$/)
    expect(container.image).toBe(`ingot:${(parse(read('package.json')) as Any).version}`)
    expect(Object.values(secrets)).toEqual(Object.values(secrets).map(() => ''))
    const secret = /PASSWORD|SECRET|ACCESS_KEY$|DATABASE_URL/
    for (const [name, { environment = {} }] of services)
      for (const [variable, value] of Object.entries<string>(environment))
        if (/PASSWORD|SECRET/.test(variable)) expect(value, `${name} ${variable}`).toMatch(/^\$\{\w+:\?/)
        else if (variable === 'INGOT_DATABASE_URL') expect(value).toMatch(/:\$\{POSTGRES_PASSWORD:\?[^}]*\}@/)
    for (const variable of [...Object.keys(settings), ...Object.keys(assignments)]) expect(variable).not.toMatch(secret)
    expect(read('deploy/nodes.env.example')).toMatch(/^POSTGRES_PASSWORD=\nS3_SECRET_KEY=\n/m)
  })

  it('keep the connections of all nodes below what PostgreSQL accepts by default', () => {
    const each = Number(settings['INGOT_DATABASE_MAX_CONNECTIONS'])
    // One more than there are: the successor of a node starts before its own connections are gone.
    expect((set.spec.replicas + 1) * each).toBeLessThanOrEqual(90)
    const composed = nodes.filter(([name]) => name.startsWith('node'))
    expect(composed).toHaveLength(3)
    const inCompose = composed.map(([, { environment }]) => Number(environment.INGOT_DATABASE_MAX_CONNECTIONS))
    expect(inCompose.reduce((sum, count) => sum + count, each)).toBeLessThanOrEqual(90)
  })

  it('select the pods that the StatefulSet makes, and are all applied', () => {
    const { labels } = set.spec.template.metadata
    const selectors = manifests.flatMap(({ kind, spec }) =>
      kind === 'Service' ? [spec.selector] : (spec?.selector?.matchLabels ?? []),
    )
    expect(selectors).toEqual(selectors.map(() => labels))
    expect(selectors).toHaveLength(4)
    expect(manifest('Service', set.spec.serviceName)?.spec.clusterIP).toBe('None')
    const claims = set.spec.template.spec.volumes.flatMap(
      (volume: Any) => volume.persistentVolumeClaim?.claimName ?? [],
    )
    expect(claims).toEqual([manifest('PersistentVolumeClaim').metadata.name])
    expect(manifest('PersistentVolumeClaim').spec.accessModes).toEqual(['ReadWriteMany'])
    expect(manifest('PodDisruptionBudget').spec.maxUnavailable).toBe(1)
    const applied: string[] = manifests.find(({ kind }) => kind === 'Kustomization').resources
    expect(applied.toSorted()).toEqual(
      manifestFiles.filter((name) => !/^kustomization|^secret\.example/.test(name)).toSorted(),
    )
    for (const from of container.envFrom)
      expect(manifest(from.configMapRef ? 'ConfigMap' : 'Secret').metadata.name).toBe(
        (from.configMapRef ?? from.secretRef).name,
      )
  })

  it.skipIf(!hasProgram('systemd-analyze', '--version'))('the unit passes systemd-analyze', () => {
    const dir = mkdtempSync(join(tmpdir(), 'ingot-unit-'))
    try {
      const path = join(dir, 'ingot.service')
      writeFileSync(path, unit.replaceAll('/opt/ingot', resolve('.')))
      // NOTE: it says on standard error what it does not know, and ends with 0.
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8' })
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  })
})

/** What Ingot reads of an environment, with the variables of compose filled in. */
const own = (environment: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment)
      .filter(([name]) => name.startsWith('INGOT_'))
      .map(([name, value]) => [name, value.replace(/\$\{\w+:-([^}]*)\}/g, '$1').replace(/\$\{[^}]*\}/g, 'x')]),
  )
