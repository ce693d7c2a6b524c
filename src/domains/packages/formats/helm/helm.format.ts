import semver from 'semver'
import type { Clock } from '../../../../core/platform/clock.ts'
import type { TaskKind } from '../../../../core/platform/isolation/index.ts'
import { badRequest } from '../../../../core/platform/errors.ts'
import { members, parseJson } from '../../../../core/platform/json-members.ts'
import { errors } from '../../../errors.ts'
import type { User } from '../../../accounts/index.ts'
import type { PackageContents, ReceivedFile } from '../../packages/package-contents.service.ts'
import { readTar } from '../../registry/archives/tar.ts'
import type { IndexKind } from '../../registry/indexes/package-indexes.service.ts'
import type { CreateFormat, FormatAnswer, FormatRequest, FormatTools, FormatWrite } from '../../registry/format.ts'
import { readMultipart } from '../../registry/multipart.ts'
import { readMetadata, readShort } from '../../registry/read-metadata.ts'
import { listedMembers } from './chart-members.ts'
import type { Chart } from './chart.task.ts'

const type = 'helm'
const MAX_CHART_YAML = 64 * 1024
const MAX_PROVENANCE = 256 * 1024
const LIMITS = { maxBytes: 256 * 1024 * 1024, maxEntries: 20_000 }
const CHART_TASK: TaskKind<string, Chart> = { url: new URL('chart.task.ts', import.meta.url).href, deadline: 5_000 }

/** Charts of Helm (behaviour/orgs-webhooks-actions#packages). */
export const createHelmFormat: CreateFormat = (contents, tools) => ({
  type,
  index: (base) => indexOf(base, tools.clock),
  errorBody: (message) => ({ error: message }),
  routes: [
    { method: 'POST', access: 'write', path: /^\/api\/charts$/, handle: (request) => upload(contents, tools, request) },
    { method: 'POST', access: 'write', path: /^\/api\/prov$/, handle: (request) => addProvenance(contents, request) },
    {
      method: 'GET',
      access: 'read',
      path: /^\/index\.yaml$/,
      handle: (request) => showIndex(contents, tools, request),
    },
    {
      method: 'GET',
      access: 'read',
      path: /^\/(?<chart>[^/]+\.tgz)(?<suffix>\.prov)?$/,
      handle: (request) => download(contents, request),
    },
  ],
})

const fileName = (name: string, version: string): string => `${name}-${version}.tgz`

async function upload(
  contents: PackageContents,
  { taskPool }: FormatTools,
  request: FormatWrite,
): Promise<FormatAnswer> {
  const { viewer, owner } = request
  const { chart, provenance } = await receive(request)
  const { name, version, document } = await readMetadata(
    taskPool,
    viewer,
    CHART_TASK,
    await readChartYaml(contents, chart),
  )
  if (provenance !== undefined) {
    const named = await readProvenance(contents, provenance)
    if (named.file !== fileName(name, version) || named.sha256 !== chart.sha256) throw provenanceDiffers()
  }
  await contents.publish(viewer, owner, {
    type,
    name,
    version,
    isExactName: true,
    files: [
      { name: fileName(name, version), content: chart, metadata: JSON.stringify({ document }) },
      ...(provenance === undefined ? [] : [{ name: `${fileName(name, version)}.prov`, content: provenance }]),
    ],
  })
  return { status: 201, body: { saved: true } }
}

const provenanceDiffers = () => badRequest('the provenance file is of another chart')

interface SentChart {
  readonly chart: ReceivedFile
  readonly provenance?: ReceivedFile | undefined
}

/** The body is a chart, or a form with the files `chart` and `prov`. */
async function receive({ headers, body, hold }: FormatWrite): Promise<SentChart> {
  if (!/^multipart\/form-data/i.test(headers['content-type'] ?? '')) return { chart: await hold.receive(body) }
  const { files } = await readMultipart(headers, body, (bytes) => hold.receive(bytes))
  const sent = new Map(files.map(({ field, content }) => [field, content]))
  const chart = sent.get('chart')
  if (chart === undefined) throw badRequest('the form has no file "chart"')
  return { chart, provenance: sent.get('prov') }
}

async function readChartYaml(contents: PackageContents, chart: ReceivedFile): Promise<string> {
  let text: string | undefined
  await readTar(await contents.open(chart), LIMITS, async (entry) => {
    if (!/^(?:\.\/)?[^/]+\/Chart\.yaml$/.test(entry.name) || entry.type !== 'file') return true
    text = (await entry.read(MAX_CHART_YAML)).toString('utf8')
    return false
  })
  if (text === undefined) throw badRequest('the archive has no Chart.yaml in the folder of the chart')
  return text
}

/** The chart that a provenance file names, with its digest (helm.sh/docs/topics/provenance). */
async function readProvenance(
  contents: PackageContents,
  sent: ReceivedFile,
): Promise<{ readonly file: string; readonly sha256: string }> {
  const text = (await readShort(await contents.open(sent), MAX_PROVENANCE, 'the provenance file')).toString('utf8')
  const [, file = '', sha256 = ''] = /^ +"?([^\s:"]+\.tgz)"?: sha256:([\da-f]{64})\s*$/m.exec(text) ?? []
  if (!text.startsWith('-----BEGIN PGP SIGNED MESSAGE-----') || file === '')
    throw badRequest('the body is not a provenance file')
  return { file, sha256 }
}

async function addProvenance(contents: PackageContents, request: FormatWrite): Promise<FormatAnswer> {
  const { viewer, owner, body, hold } = request
  const content = await hold.receive(body)
  const named = await readProvenance(contents, content)
  const { name, version, file } = await findChart(contents, owner, named.file)
  if (file.sha256 !== named.sha256) throw provenanceDiffers()
  await contents.publish(viewer, owner, {
    type,
    name,
    version,
    extends: true,
    files: [{ name: `${named.file}.prov`, content }],
  })
  return { status: 201, body: { saved: true } }
}

/** The chart with this file name, in which name and version may contain hyphens. Throws NotFound. */
async function findChart(contents: PackageContents, owner: User, chart: string) {
  const stem = chart.replace(/\.tgz$/, '')
  for (let at = stem.indexOf('-'); at !== -1; at = stem.indexOf('-', at + 1)) {
    const [name, version] = [stem.slice(0, at), stem.slice(at + 1)]
    if (semver.valid(version) === null) continue
    const file = await contents.findFile(owner, { type, name, version }, chart)
    if (file !== undefined) return { name, version, file }
  }
  throw errors.packageNotFound()
}

async function download(contents: PackageContents, { owner, params }: FormatRequest): Promise<FormatAnswer> {
  const { chart = '', suffix = '' } = params
  const { name, version, file } = await findChart(contents, owner, chart)
  if (suffix === '') return { file, type: 'application/gzip' }
  return { file: await contents.getFile(owner, { type, name, version }, `${chart}.prov`), type: 'text/plain' }
}

const INDEX = 'index.yaml'

async function showIndex(
  contents: PackageContents,
  { indexes, clock }: FormatTools,
  { owner, base }: FormatRequest,
): Promise<FormatAnswer> {
  const yaml = 'text/yaml;charset=utf-8'
  if ((await contents.summarizeFiles(owner, type)).count === 0)
    return { status: 200, type: yaml, body: [...indexLines(base, new Map(), clock.now())].join('') }
  return { file: await indexes.get(owner, indexOf(base, clock), INDEX), type: yaml }
}

const indexOf = (base: string, clock: Clock): IndexKind => ({
  type,
  basis: base,
  async build({ files, put }) {
    const charts = new Map<string, string[]>()
    for await (const file of files) {
      if (!file.name.endsWith('.tgz')) continue
      const entry = {
        ...listedMembers(members(members(parseJson(file.metadata)?.value)['document'])),
        urls: [`${base}/${encodeURIComponent(file.name)}`],
        created: new Date(file.created_at).toISOString(),
        digest: file.sha256,
      }
      // JSON is YAML, and takes a fraction of the time to write.
      const versions = charts.get(file.package) ?? []
      versions.push(JSON.stringify(entry))
      charts.set(file.package, versions)
    }
    await put(INDEX, [...indexLines(base, charts, clock.now())].join(''))
  },
})

function* indexLines(base: string, charts: ReadonlyMap<string, readonly string[]>, now: number): Generator<string> {
  yield `apiVersion: v1\nentries:${charts.size === 0 ? ' {}' : ''}\n`
  for (const [name, versions] of charts) {
    yield `  ${JSON.stringify(name)}:\n`
    for (const version of versions) yield `    - ${version}\n`
  }
  yield `generated: ${JSON.stringify(new Date(now).toISOString())}\n`
  yield `serverInfo:\n  contextPath: ${JSON.stringify(new URL(base).pathname)}\n`
}
