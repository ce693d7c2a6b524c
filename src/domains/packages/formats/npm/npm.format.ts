import semver from 'semver'
import { badRequest } from '../../../../core/platform/errors.ts'
import { members, parseJson, textOf } from '../../../../core/platform/json-members.ts'
import { errors } from '../../../errors.ts'
import type { User } from '../../../accounts/index.ts'
import type { PackageContents } from '../../packages/package-contents.service.ts'
import type { PackageEntry, VersionEntry } from '../../packages/package-contents.store.ts'
import type {
  CreateFormat,
  DocumentAnswer,
  FormatAnswer,
  FormatRequest,
  FormatRoute,
  FormatTools,
  FormatWrite,
} from '../../registry/format.ts'
import {
  existingTags,
  manifestOf,
  presentSearchResult,
  readNewVersion,
  requireIntegrity,
  taggedVersions,
  withTags,
} from './npm-metadata.ts'
import { attestationOf, isProvenance, presentBundles, provenanceName, readProvenance } from './npm-provenance.ts'
import { packument } from './packument.ts'
import { readPublishDocument } from './publish-document.ts'

const type = 'npm'
/** A name, optionally with a scope, whose slash may be encoded. */
const NAME = String.raw`(?<name>(?:(?:@|%40)[^/%@]+(?:/|%2[fF]))?[^/@-][^/]*|(?:@|%40)[^/]+(?:/|%2[fF])[^/]+)`
const at = (path: string): RegExp => new RegExp(`^/${path}$`)

/** Packages of Node.js (behaviour/orgs-webhooks-actions#packages). */
export const createNpmFormat: CreateFormat = (contents, tools) => ({
  type,
  documents: (entry, base) => [packument(contents, entry, base)],
  errorBody: (message) => ({ error: message }),
  attestations: async (version) => (await contents.listFiles(version)).filter(isProvenance).map(attestationOf),
  routes: [...siteRoutes(contents), ...tagRoutes(contents), ...fileRoutes(contents), ...packageRoutes(contents, tools)],
})

function siteRoutes(contents: PackageContents): FormatRoute[] {
  return [
    { method: 'GET', access: 'read', path: at('-/ping'), handle: async () => ({ status: 200, body: {} }) },
    {
      method: 'GET',
      access: 'read',
      path: at('-/whoami'),
      handle: async ({ viewer }) =>
        viewer.kind === 'user'
          ? { status: 200, body: { username: viewer.account.name } }
          : { status: 401, body: { error: 'not signed in' } },
    },
    {
      method: 'GET',
      access: 'read',
      path: at('-/v1/search'),
      handle: ({ owner, query }) => search(contents, owner, query),
    },
    {
      method: 'GET',
      access: 'read',
      path: at(`-/npm/v1/attestations/${NAME}@(?<version>[^/@]+)`),
      async handle({ owner, params: { name, version = '' } }) {
        const found = await contents.findVersion(await getPackage(contents, owner, name), version)
        const file = found && (await contents.listFiles(found)).find(isProvenance)
        if (file === undefined) throw errors.packageNotFound()
        return { status: 200, body: await presentBundles(contents, file) }
      },
    },
  ]
}

const MAX_RESULTS = 250

async function search(contents: PackageContents, owner: User, query: URLSearchParams): Promise<FormatAnswer> {
  const text = (query.get('text') ?? '').toLowerCase()
  const number = (name: string, initial: number): number => {
    const given = query.get(name) ?? String(initial)
    if (!/^\d{1,9}$/.test(given)) throw errors.numberRequired(name)
    return Number(given)
  }
  const [size, from] = [Math.min(number('size', 20), MAX_RESULTS), number('from', 0)]
  const found = (await contents.listPackages(owner, type)).filter(({ name }) => name.toLowerCase().includes(text))
  const newest = new Map<number, VersionEntry>()
  for (const version of await contents.listAllVersions(owner, type)) newest.set(version.packageId, version)
  const objects = found.slice(from, from + size).flatMap((entry) => {
    const version = newest.get(entry.id)
    return version === undefined ? [] : presentSearchResult(entry, version)
  })
  return { status: 200, body: { objects, total: found.length } }
}

/** Throws NotFound. */
async function getPackage(contents: PackageContents, owner: User, name: string | undefined): Promise<PackageEntry> {
  const entry = await contents.findPackage(owner, type, name ?? '')
  if (entry === undefined) throw errors.packageNotFound()
  return entry
}

function tagRoutes(contents: PackageContents): FormatRoute[] {
  const path = at(`-/package/${NAME}/dist-tags`)
  const tagPath = at(`-/package/${NAME}/dist-tags/(?<tag>[^/]+)`)
  return [
    {
      method: 'GET',
      access: 'read',
      path,
      async handle({ owner, params }) {
        const entry = await getPackage(contents, owner, params['name'])
        return {
          status: 200,
          body: existingTags(entry, await contents.listVersionsNamed(entry, taggedVersions(entry))),
        }
      },
    },
    {
      method: 'PUT',
      access: 'write',
      path: tagPath,
      async handle({ owner, params, body }) {
        const { name = '', tag = '' } = params
        const version = semver.clean(textOf(parseJson(await readText(body))?.value)) ?? ''
        const entry = await getPackage(contents, owner, name)
        if ((await contents.findVersion(entry, version)) === undefined) throw errors.packageNotFound()
        await contents.editMetadata(owner, type, name, (former) => withTags(former, { [tag]: version }))
        return { status: 200, body: {} }
      },
    },
    {
      method: 'DELETE',
      access: 'write',
      path: tagPath,
      async handle({ owner, params: { name = '', tag = '' } }) {
        await getPackage(contents, owner, name)
        await contents.editMetadata(owner, type, name, (former) => withTags(former, { [tag]: undefined }))
        return { status: 200, body: {} }
      },
    },
  ]
}

const MAX_TEXT = 10_000

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  let text = ''
  for await (const chunk of body) {
    text += chunk.toString('utf8')
    if (text.length > MAX_TEXT) throw badRequest('the version is not valid')
  }
  return text
}

function fileRoutes(contents: PackageContents): FormatRoute[] {
  const withVersion = at(`${NAME}/-/(?<version>[^/]+)/(?<file>[^/]+)`)
  return [
    {
      method: 'GET',
      access: 'read',
      path: withVersion,
      handle: async ({ owner, params: { name = '', version = '', file = '' } }) => ({
        file: await contents.getFile(owner, { type, name, version }, file),
      }),
    },
    {
      method: 'GET',
      access: 'read',
      path: at(`${NAME}/-/(?<file>[^/]+)`),
      handle: async ({ owner, params: { name, file } }) => {
        const found = await contents.listFilesOfPackage(await getPackage(contents, owner, name))
        const row = found.find((one) => one.name === file)
        if (row === undefined) throw errors.packageNotFound()
        return { file: row }
      },
    },
    {
      method: 'DELETE',
      access: 'write',
      path: at(`${NAME}/-/(?<version>[^/]+)/(?<file>[^/]+)/-rev/[^/]+`),
      // NOTE: npm sends this after `PUT …/-rev/…`, which has deleted the version already.
      async handle({ viewer, owner, params: { name = '', version = '' } }) {
        const entry = await getPackage(contents, owner, name)
        if ((await contents.findVersion(entry, version)) !== undefined)
          await contents.deleteVersion(viewer, owner, { type, name, version })
        return { status: 200, body: { ok: true } }
      },
    },
  ]
}

function packageRoutes(contents: PackageContents, tools: FormatTools): FormatRoute[] {
  const path = at(NAME)
  const revision = at(`${NAME}/-rev/[^/]+`)
  return [
    { method: 'GET', access: 'read', path, handle: (request) => showPackage(contents, request) },
    { method: 'PUT', access: 'write', path, handle: (request) => publish(contents, tools, request) },
    { method: 'PUT', access: 'write', path: revision, handle: (request) => unpublish(contents, request) },
    {
      method: 'DELETE',
      access: 'write',
      path: revision,
      async handle({ viewer, owner, params: { name } }) {
        const entry = await getPackage(contents, owner, name)
        for (const { version } of await contents.listVersions(entry))
          await contents.deleteVersion(viewer, owner, { type, name: entry.name, version })
        return { status: 200, body: { ok: true } }
      },
    },
  ]
}

async function showPackage(contents: PackageContents, request: FormatRequest): Promise<DocumentAnswer> {
  const entry = await getPackage(contents, request.owner, request.params['name'])
  return { document: packument(contents, entry, request.base), type: 'application/json;charset=utf-8' }
}

/** A new version; a document without an attachment changes what `npm deprecate` changes. */
async function publish(
  contents: PackageContents,
  { findRepo }: FormatTools,
  request: FormatWrite,
): Promise<FormatAnswer> {
  const { viewer, owner, params, body, hold } = request
  const { name = '' } = params
  const { document, content } = await readPublishDocument(body as AsyncIterable<Buffer>, (bytes) => hold.receive(bytes))
  if (content === undefined) return deprecate(contents, owner, name, document['versions'])
  const { version, integrity, metadata, readme, source } = readNewVersion(document, name)
  requireIntegrity(integrity, content)
  const tags = Object.keys(members(document['dist-tags']))
  const set = Object.fromEntries((tags.length === 0 ? ['latest'] : tags).map((tag) => [tag, version]))
  const file = { name: `${name.slice(name.indexOf('/') + 1)}-${version}.tgz`, content }
  const provenance = readProvenance(document, { name, version, sha512: content.sha512 })
  const bundles = provenance && [
    {
      name: provenanceName(file.name),
      content: await hold.receive([Buffer.from(provenance.text)]),
      metadata: provenance.metadata,
    },
  ]
  await contents.publish(viewer, owner, {
    type,
    name,
    version,
    metadata,
    repoId: await findRepo(viewer, owner, source),
    files: [file, ...(bundles ?? [])],
    packageMetadata: (former) => withTags(former, set, readme),
  })
  return { status: 201 }
}

async function deprecate(
  contents: PackageContents,
  owner: User,
  name: string,
  versions: unknown,
): Promise<FormatAnswer> {
  const entry = await getPackage(contents, owner, name)
  const sent = members(versions)
  if (Object.keys(sent).length === 0) throw errors.npmAttachmentInvalid()
  for (const stored of await contents.listVersions(entry)) {
    const one = sent[stored.version]
    if (one === undefined) continue
    const deprecated = textOf(members(one)['deprecated'], MAX_TEXT)
    if (textOf(manifestOf(stored)['deprecated']) === deprecated) continue
    const ref = { type, name: entry.name, version: stored.version }
    await contents.editVersionMetadata(owner, ref, (former) => {
      const { deprecated: _, ...rest } = members(parseJson(former)?.value)
      return JSON.stringify(deprecated === '' ? rest : { ...rest, deprecated })
    })
  }
  return { status: 200, body: { ok: true } }
}

/** Deletes the versions that the document of `npm unpublish` lacks. */
async function unpublish(contents: PackageContents, request: FormatWrite): Promise<FormatAnswer> {
  const { viewer, owner, params, body } = request
  const entry = await getPackage(contents, owner, params['name'])
  const { document } = await readPublishDocument(body as AsyncIterable<Buffer>, async () => {
    throw errors.npmDocumentInvalid()
  })
  const kept = members(document['versions'])
  if (Object.keys(kept).length === 0) throw errors.npmDocumentInvalid()
  for (const { version } of await contents.listVersions(entry))
    if (kept[version] === undefined) await contents.deleteVersion(viewer, owner, { type, name: entry.name, version })
  return { status: 200, body: { ok: true } }
}
