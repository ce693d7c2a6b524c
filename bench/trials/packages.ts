import { createHash } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { basicHeaders, tokenHeaders } from '../api.ts'
import { DATABASES, measureParts, nameOn, onBothDatabases } from '../databases/both-databases.ts'
import type { Figure, Trial } from '../figure.ts'
import { inParallel } from '../load/in-parallel.ts'
import { chunksOf, costOf, expectStatus, sendChunks } from '../load/large-bodies.ts'
import { startBare } from '../load/yardsticks.ts'
import type { Run } from '../run.ts'
import { waitForIdle } from '../system/maintenance.ts'
import { memoryOf } from '../system/process-tree.ts'

/** At the full scale; fewer at smaller ones. */
const VERSIONS = 10_000
const INSTALLED = 300
const LAYER_MIB = 1024
const MIN_SHARE = 0.02
/** Publishes that are measured before and after the others. */
const MEASURED = 50
/** Publishes before, until the server runs compiled code. */
const WARM_UP = 500
/** Reads of an index after a change, and without one. */
const READS = { cold: 5, warm: 100 } as const
const NAMES = {
  publish: 'packages: publishing beside 10,000 versions, by scale, by CPU',
  cold: 'packages: index of 10,000 versions after a change, by scale, by CPU',
  warm: 'packages: the same index, unchanged (304), by CPU',
  install: 'packages: one of 300 that npm installs, by CPU',
  push: 'packages: push of a layer of 1 GiB, by scale, by CPU',
  hashed: 'packages: the same push beside a copy that is hashed and synced',
  pull: 'packages: pull of it, by CPU',
  memory: 'packages: memory above that before the layer',
} as const
const MAX = { publish: 1.3, cold: 50, copy: 1 / 0.7, memory: 64 } as const

/** Registries: npm with many versions, an installation, and a large layer of an image. */
export const packages: Trial = {
  names: Object.values(NAMES).flatMap((name) => DATABASES.map((database) => nameOn(name, database))),
  needs: 'site',
  run: (run) => onBothDatabases(run, measureOn),
}

async function measureOn(run: Run, database: (typeof DATABASES)[number]): Promise<Figure[]> {
  const share = Math.max(MIN_SHARE, run.options.scale)
  const { publish, cold, warm, install, push, hashed, pull, memory } = NAMES
  return measureParts(run, database, [
    [[publish, cold, warm], () => measureVersions(run, Math.round(VERSIONS * share))],
    [[install], () => measureInstall(run, Math.round(INSTALLED * Math.min(1, share * 5)))],
    [[push, hashed, pull, memory], () => measureLayer(run, Math.max(16, Math.round(LAYER_MIB * share)))],
  ])
}

const registry = ({ target }: Run): string => `${target.url}/api/packages/${target.login}/npm`

/** A package with package.json alone. */
async function tarballOf(name: string, version: string): Promise<Buffer> {
  const tar = pack()
  tar.entry({ name: 'package/package.json' }, JSON.stringify({ name, version }))
  tar.finalize()
  return gzipSync(await buffer(tar))
}

async function publish(run: Run, name: string, version: string): Promise<void> {
  const tarball = await tarballOf(name, version)
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
  const manifest = { name, version, description: 'A package of the bench', dist: { integrity } }
  const body = {
    _id: name,
    name,
    'dist-tags': { latest: version },
    versions: { [version]: manifest },
    _attachments: { [`${name}-${version}.tgz`]: { data: tarball.toString('base64') } },
  }
  await expectStatus(201, `${registry(run)}/${name}`, {
    method: 'PUT',
    headers: { ...headersOf(run), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

const headersOf = ({ target }: Run): Record<string, string> => tokenHeaders(target) as Record<string, string>

async function measureVersions(run: Run, count: number): Promise<Figure[]> {
  const name = 'bench-many'
  let next = 0
  const one = (): Promise<void> => publish(run, name, `1.0.${next++}`)
  await inParallel(WARM_UP, (i) => publish(run, 'bench-warm-up', `1.0.${i}`))
  const first = await eachCosts(run, MEASURED, one)
  await inParallel(count, one)
  await waitForIdle(run.own!.server.child.pid!)
  const last = await eachCosts(run, MEASURED, one)
  const url = `${registry(run)}/${name}`
  let etag = ''
  const read = async (): Promise<void> => {
    etag = (await expectStatus(200, url, { headers: headersOf(run) })).get('etag') ?? ''
  }
  await read()
  let cold = 0
  for (let i = 0; i < READS.cold; i++) {
    await one()
    cold += await eachCosts(run, 1, read)
  }
  const warm = await eachCosts(run, READS.warm, () =>
    expectStatus(304, url, { headers: { ...headersOf(run), 'if-none-match': etag } }),
  )
  return [
    { name: NAMES.publish, measured: last, unit: 'ms', beside: { name: 'the first', value: first }, max: MAX.publish },
    { name: NAMES.cold, measured: cold / READS.cold, unit: 'ms', max: MAX.cold },
    { name: NAMES.warm, measured: warm, unit: 'ms' },
  ]
}

async function measureInstall(run: Run, count: number): Promise<Figure[]> {
  const names = Array.from({ length: count }, (_, i) => `bench-one-${i}`)
  await inParallel(count, (i) => publish(run, names[i]!, '1.0.0'))
  const install = (): Promise<unknown> => runNpm(run, names)
  await install()
  return [{ name: NAMES.install, measured: (await eachCosts(run, 1, install)) / count, unit: 'ms' }]
}

/** Installs packages by npm, which has no cache. */
async function runNpm(run: Run, names: readonly string[]): Promise<void> {
  const dir = mkdtempSync(join(run.tempDir.dir, 'npm-'))
  const dependencies = Object.fromEntries(names.map((name) => [name, '^1.0.0']))
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ name: 'bench', version: '1.0.0', dependencies }))
  const { protocol } = new URL(registry(run))
  const token = `${registry(run).slice(protocol.length)}/:_authToken=${run.target.token}`
  writeFileSync(join(dir, '.npmrc'), `registry=${registry(run)}/\n${token}\ncache=${join(dir, 'cache')}\n`)
  const args = ['install', '--no-audit', '--no-fund', '--no-update-notifier', '--no-package-lock', '--silent']
  await run.tempDir.run('npm', args, { cwd: dir })
}

async function measureLayer(run: Run, mebibytes: number): Promise<Figure[]> {
  const { target, own, tempDir } = run
  const hash = createHash('sha256')
  for (const chunk of chunksOf(mebibytes)) hash.update(chunk)
  const digest = `sha256:${hash.digest('hex')}`
  const bare = await startBare(tempDir, 'copy-server.ts', [join(tempDir.dir, 'bench-copy')])
  const hashing = await startBare(tempDir, 'copy-server.ts', [join(tempDir.dir, 'bench-hashed'), 'sha256'])
  const blobs = `${target.url}/v2/${target.login}/bench/blobs`
  const headers = basicHeaders(target.login, target.token) as Record<string, string>
  const pid = own!.server.child.pid!
  await waitForIdle(pid)
  const before = memoryOf(pid).now
  const copyIn = await costOf([bare.pid], () => sendChunks(bare.url, 'PUT', mebibytes))
  const pushed = await costOf(own!.pids, () =>
    sendChunks(`${blobs}/uploads/?digest=${digest}`, 'POST', mebibytes, headers),
  )
  const hashedIn = await costOf([hashing.pid], () => sendChunks(hashing.url, 'PUT', mebibytes))
  const copyOut = await costOf([bare.pid], () => expectStatus(200, bare.url, {}))
  const pulled = await costOf(own!.pids, () => expectStatus(200, `${blobs}/${digest}`, { headers }))
  const memory = Math.max(0, memoryOf(pid).now - before)
  const besides = (value: number) => ({ name: 'a bare copy', value })
  return [
    { name: NAMES.push, measured: pushed, unit: 'ms', beside: besides(copyIn), max: MAX.copy },
    { name: NAMES.hashed, measured: pushed, unit: 'ms', beside: { name: 'such a copy', value: hashedIn } },
    { name: NAMES.pull, measured: pulled, unit: 'ms', beside: besides(copyOut), max: MAX.copy },
    { name: NAMES.memory, measured: memory, unit: 'MB', max: MAX.memory },
  ]
}

async function eachCosts({ own }: Run, count: number, work: () => Promise<unknown>): Promise<number> {
  const all = await costOf(own!.pids, async () => {
    for (let i = 0; i < count; i++) await work()
  })
  return all / count
}
