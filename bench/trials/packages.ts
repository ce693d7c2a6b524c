import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { Readable } from 'node:stream'
import { basicHeaders, tokenHeaders } from '../api.ts'
import { DATABASES, nameOn, onBothDatabases } from '../databases/both-databases.ts'
import type { Figure, Trial } from '../figure.ts'
import { inParallel } from '../load/in-parallel.ts'
import { median } from '../load/load.ts'
import { startBare } from '../load/yardsticks.ts'
import type { Run } from '../run.ts'
import { memoryOf } from '../system/process-tree.ts'

/** At the full scale; fewer at smaller ones. */
const VERSIONS = 10_000
const INSTALLED = 300
const LAYER_MIB = 1024
const MIN_SHARE = 0.02
/** Publishes that are timed before and after the others. */
const TIMED = 20
const MIB = 1024 * 1024
const NAMES = {
  publish: 'packages: publishing beside 10,000 versions, by scale',
  cold: 'packages: index of 10,000 versions after a change, by scale',
  warm: 'packages: the same index, unchanged (304)',
  install: 'packages: metadata and tarball of one of 300 npm packages',
  push: 'packages: push of a layer of 1 GiB, by scale',
  pull: 'packages: pull of it',
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
  const figures = [
    ...(await measureVersions(run, Math.round(VERSIONS * share))),
    await measureInstall(run, Math.round(INSTALLED * Math.min(1, share * 5))),
    ...(await measureLayer(run, Math.max(16, Math.round(LAYER_MIB * share)))),
  ]
  return figures.map((figure) => ({ ...figure, name: nameOn(figure.name, database) }))
}

const registry = ({ target }: Run): string => `${target.url}/api/packages/${target.login}/npm`

async function publish(run: Run, name: string, version: string): Promise<void> {
  const tarball = Buffer.from(`tarball of ${name} ${version}`)
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
  for (let i = 0; i < TIMED; i++) await publish(run, 'bench-warm-up', `1.0.${i}`)
  const timed = async (from: number): Promise<number> => {
    const times: number[] = []
    for (let i = 0; i < TIMED; i++) times.push(await timeOf(() => publish(run, name, `1.0.${from + i}`)))
    return median(times)
  }
  const first = await timed(0)
  await inParallel(count, (i) => publish(run, name, `1.0.${TIMED + i}`))
  const last = await timed(TIMED + count)
  const url = `${registry(run)}/${name}`
  let etag = ''
  const cold = await timeOf(async () => {
    etag = (await expectStatus(200, url, { headers: headersOf(run) })).get('etag') ?? ''
  })
  const warm = await timeOf(() => expectStatus(304, url, { headers: { ...headersOf(run), 'if-none-match': etag } }))
  return [
    { name: NAMES.publish, measured: last, unit: 'ms', beside: { name: 'the first', value: first }, max: MAX.publish },
    { name: NAMES.cold, measured: cold, unit: 'ms', max: MAX.cold },
    { name: NAMES.warm, measured: warm, unit: 'ms' },
  ]
}

async function measureInstall(run: Run, count: number): Promise<Figure> {
  const names = Array.from({ length: count }, (_, i) => `bench-one-${i}`)
  await inParallel(count, (i) => publish(run, names[i]!, '1.0.0'))
  const install = (): Promise<unknown> =>
    inParallel(count, async (i) => {
      const name = names[i]!
      for (const path of [name, `${name}/-/1.0.0/${name}-1.0.0.tgz`])
        await expectStatus(200, `${registry(run)}/${path}`, { headers: headersOf(run) })
    })
  await install()
  return { name: NAMES.install, measured: (await timeOf(install)) / count, unit: 'ms' }
}

async function measureLayer(run: Run, mebibytes: number): Promise<Figure[]> {
  const { target, own, tempDir } = run
  const hash = createHash('sha256')
  for (const chunk of chunksOf(mebibytes)) hash.update(chunk)
  const digest = `sha256:${hash.digest('hex')}`
  const bare = await startBare(tempDir, 'copy-server.ts', [join(tempDir.dir, 'bench-copy')])
  const blobs = `${target.url}/v2/${target.login}/bench/blobs`
  const headers = basicHeaders(target.login, target.token) as Record<string, string>
  const send = (url: string, method: string, more: Record<string, string> = {}): Promise<number> =>
    timeOf(() =>
      expectStatus(201, url, {
        method,
        headers: { ...more, 'content-type': 'application/octet-stream', 'content-length': String(mebibytes * MIB) },
        body: Readable.toWeb(Readable.from(chunksOf(mebibytes), { objectMode: false })) as ReadableStream,
        duplex: 'half',
      }),
    )
  const pid = own!.server.child.pid!
  const before = memoryOf(pid).now
  const [copyIn, pushed] = [
    await send(bare.url, 'PUT'),
    await send(`${blobs}/uploads/?digest=${digest}`, 'POST', headers),
  ]
  const copyOut = await timeOf(() => expectStatus(200, bare.url, {}))
  const pulled = await timeOf(() => expectStatus(200, `${blobs}/${digest}`, { headers }))
  const memory = Math.max(0, memoryOf(pid).now - before)
  const besides = (value: number) => ({ name: 'a bare copy', value })
  return [
    { name: NAMES.push, measured: pushed, unit: 'ms', beside: besides(copyIn), max: MAX.copy },
    { name: NAMES.pull, measured: pulled, unit: 'ms', beside: besides(copyOut), max: MAX.copy },
    { name: NAMES.memory, measured: memory, unit: 'MB', max: MAX.memory },
  ]
}

/** Bytes that differ from one MiB to the next. */
function* chunksOf(mebibytes: number): Generator<Buffer> {
  for (let i = 0; i < mebibytes; i++) {
    const chunk = Buffer.alloc(MIB, i % 251)
    chunk.writeUInt32LE(i)
    yield chunk
  }
}

/** Reads the whole answer without storing it; fails for another status. */
async function expectStatus(
  status: number,
  url: string,
  init: RequestInit & { readonly duplex?: 'half' },
): Promise<Headers> {
  const answer = await fetch(url, init)
  if (answer.status !== status) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`)
  for await (const _ of answer.body ?? []);
  return answer.headers
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  await work()
  return performance.now() - begin
}
