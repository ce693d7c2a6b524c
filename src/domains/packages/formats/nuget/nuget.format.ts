import { errors } from '../../../errors.ts'
import type { User } from '../../../accounts/index.ts'
import type { PackageContents } from '../../packages/package-contents.service.ts'
import type { CreateFormat, FormatAnswer, FormatRequest, FormatRoute } from '../../registry/format.ts'
import {
  getNugetEntry,
  listNugetPackages,
  matchesSearch,
  type NugetPackage,
  readNugetPackage,
  type,
} from './nuget-packages.ts'
import {
  presentLeaf,
  presentPage,
  presentRegistration,
  presentSearchResult,
  presentServiceIndex,
} from './nuget-registration.ts'
import { uploadPackage, uploadSymbols } from './nuget-upload.ts'
import { nugetV2Routes } from './nuget-v2.routes.ts'
import { isPrerelease, normalizeVersion } from './nuget-version.ts'
import { symbolFileName } from './pdb.ts'

/** Packages of .NET (behaviour/orgs-webhooks-actions#packages). */
export const createNugetFormat: CreateFormat = (contents, tools) => ({
  type,
  errorBody: (message) => ({ Message: message }),
  apiKey(headers) {
    const key = headers['x-nuget-apikey']
    return typeof key === 'string' && key !== '' ? key : undefined
  },
  routes: [
    // Clients read it before they know that credentials are needed.
    {
      method: 'GET',
      access: 'open',
      path: /^\/index\.json$/,
      handle: async ({ base }) => ({ status: 200, body: presentServiceIndex(base) }),
    },
    ...searchRoutes(contents),
    ...registrationRoutes(contents),
    ...fileRoutes(contents),
    { method: 'PUT', access: 'write', path: /^\/?$/, handle: (request) => uploadPackage(contents, tools, request) },
    {
      method: 'PUT',
      access: 'write',
      path: /^\/symbolpackage\/?$/,
      handle: (request) => uploadSymbols(contents, tools, request),
    },
    ...nugetV2Routes(contents),
    {
      method: 'DELETE',
      access: 'write',
      path: /^\/(?<id>[^/]+)\/(?<version>[^/]+)$/,
      async handle({ viewer, owner, params: { id = '', version = '' } }) {
        await contents.deleteVersion(viewer, owner, { type, name: id, version: getNormalized(version) })
        return { status: 204 }
      },
    },
  ],
})

/** Throws NotFound for an invalid version. */
function getNormalized(version: string): string {
  const normalized = normalizeVersion(version)
  if (normalized === undefined) throw errors.packageNotFound()
  return normalized
}

const MAX_RESULTS = 1000

interface Search {
  /** Packages ordered by id. */
  readonly found: readonly NugetPackage[]
  readonly skip: number
  readonly take: number
}

async function search(contents: PackageContents, owner: User, query: URLSearchParams): Promise<Search> {
  const number = (name: string, initial: number): number => {
    const text = query.get(name) ?? String(initial)
    if (!/^\d{1,9}$/.test(text)) throw errors.numberRequired(name)
    return Number(text)
  }
  const [skip, take] = [number('skip', 0), Math.min(number('take', 20), MAX_RESULTS)]
  const withPrereleases = query.get('prerelease')?.toLowerCase() === 'true'
  const found = (await listNugetPackages(contents, owner))
    .map(({ id, versions }) => ({
      id,
      versions: withPrereleases ? versions : versions.filter(({ version }) => !isPrerelease(version)),
    }))
    .filter((one) => one.versions.length > 0 && matchesSearch(one, query.get('q') ?? ''))
  return { found, skip, take }
}

function searchRoutes(contents: PackageContents): FormatRoute[] {
  return [
    {
      method: 'GET',
      access: 'read',
      path: /^\/query$/,
      async handle({ owner, query, base }) {
        const { found, skip, take } = await search(contents, owner, query)
        const data = found.slice(skip, skip + take).map((one) => presentSearchResult(base, one))
        return { status: 200, body: { totalHits: found.length, data } }
      },
    },
    {
      method: 'GET',
      access: 'read',
      path: /^\/autocomplete$/,
      async handle({ owner, query }) {
        const { found, skip, take } = await search(contents, owner, query)
        const id = query.get('id')?.toLowerCase()
        const named = found.find((one) => one.id.toLowerCase() === id)
        if (id !== undefined)
          return { status: 200, body: { data: named?.versions.map(({ version }) => version) ?? [] } }
        const data = found.slice(skip, skip + take).map((one) => one.id)
        return { status: 200, body: { totalHits: found.length, data } }
      },
    },
  ]
}

/** A document about a package that changes with its revision. */
async function documentOf(
  contents: PackageContents,
  { owner, params, headers }: FormatRequest,
  present: (one: NugetPackage) => object | undefined,
): Promise<FormatAnswer> {
  const entry = await getNugetEntry(contents, owner, params['id'] ?? '')
  const etag = `${entry.id}-${entry.revision}`
  if (headers['if-none-match'] === `"${etag}"`) return { status: 200, etag }
  const body = present(await readNugetPackage(contents, entry))
  if (body === undefined) throw errors.packageNotFound()
  return { status: 200, body, etag }
}

function registrationRoutes(contents: PackageContents): FormatRoute[] {
  return [
    {
      method: 'GET',
      access: 'read',
      path: /^\/registration\/(?<id>[^/]+)\/index\.json$/,
      handle: (request) => documentOf(contents, request, (one) => presentRegistration(request.base, one)),
    },
    {
      method: 'GET',
      access: 'read',
      path: /^\/registration\/(?<id>[^/]+)\/page\/(?<first>[^/]+)\/(?<last>[^/]+)\.json$/,
      handle: (request) =>
        documentOf(contents, request, (one) =>
          presentPage(request.base, one, request.params['first'] ?? '', request.params['last'] ?? ''),
        ),
    },
    {
      method: 'GET',
      access: 'read',
      path: /^\/registration\/(?<id>[^/]+)\/(?<version>[^/]+)\.json$/,
      handle: (request) =>
        documentOf(contents, request, ({ versions }) => {
          const wanted = getNormalized(request.params['version'] ?? '').toLowerCase()
          const found = versions.find(({ version }) => version.toLowerCase() === wanted)
          return found && presentLeaf(request.base, found)
        }),
    },
  ]
}

function fileRoutes(contents: PackageContents): FormatRoute[] {
  return [
    {
      method: 'GET',
      access: 'read',
      path: /^\/package\/(?<id>[^/]+)\/index\.json$/,
      handle: (request) =>
        documentOf(contents, request, ({ versions }) => ({
          versions: versions.map(({ version }) => version.toLowerCase()),
        })),
    },
    {
      method: 'GET',
      access: 'read',
      path: /^\/package\/(?<id>[^/]+)\/(?<version>[^/]+)\/(?<file>[^/]+)$/,
      handle: async ({ owner, params: { id = '', version = '', file = '' } }) => ({
        file: await contents.getFile(owner, { type, name: id, version: getNormalized(version) }, file.toLowerCase()),
      }),
    },
    {
      method: 'GET',
      access: 'read',
      path: /^\/symbols\/(?<name>[^/]+)\/(?<id>[\da-fA-F]{32})[fF]{8}\/[^/]+$/,
      async handle({ owner, params: { name = '', id = '' } }) {
        const file = await contents.findFileOfType(owner, type, symbolFileName(name, id))
        if (file === undefined) throw errors.packageNotFound()
        return { file }
      },
    },
  ]
}
