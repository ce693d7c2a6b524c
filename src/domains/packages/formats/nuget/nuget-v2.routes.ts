import { errors } from '../../../errors.ts'
import type { PackageContents } from '../../packages/package-contents.service.ts'
import type { FormatAnswer, FormatRequest, FormatRoute } from '../../registry/format.ts'
import { getNugetEntry, listNugetPackages, matchesSearch, readNugetPackage } from './nuget-packages.ts'
import {
  parseFilter,
  presentFeed,
  presentMetadata,
  presentVersion,
  serviceDocument,
  shownVersions,
  type ShownVersion,
  textOfLiteral,
} from './nuget-v2.ts'
import { isPrerelease, normalizeVersion } from './nuget-version.ts'

/** The feed of old clients, Chocolatey and PowerShellGet (OData 2 in Atom). */
export function nugetV2Routes(contents: PackageContents): FormatRoute[] {
  return [
    { method: 'GET', access: 'read', path: /^\/?$/, handle: async ({ base }) => serviceDocument(base) },
    { method: 'GET', access: 'read', path: /^\/(?:\$|%24)metadata$/, handle: async () => presentMetadata() },
    {
      method: 'GET',
      access: 'read',
      path: /^\/Search\(\)(?<count>\/(?:\$|%24)count)?$/,
      handle: (request) => search(contents, request),
    },
    {
      method: 'GET',
      access: 'read',
      path: /^\/FindPackagesById\(\)(?<count>\/(?:\$|%24)count)?$/,
      handle: (request) => findById(contents, request),
    },
    {
      method: 'GET',
      access: 'read',
      path: /^\/Packages(?:\(\))?(?<count>\/(?:\$|%24)count)?$/,
      handle: (request) => feed(request, '/Packages()', () => listAll(contents, request)),
    },
    {
      method: 'GET',
      access: 'read',
      path: /^\/Packages\(Id=(?:'|%27)(?<id>[^'/]+?)(?:'|%27),(?:%20)?Version=(?:'|%27)(?<version>[^'/]+?)(?:'|%27)\)$/,
      async handle({ owner, params: { id = '', version = '' }, base }) {
        const found = shownVersions(await readNugetPackage(contents, await getNugetEntry(contents, owner, id)))
        const wanted = normalizeVersion(version)?.toLowerCase()
        const one = found.find((each) => each.version.toLowerCase() === wanted)
        if (one === undefined) throw errors.packageNotFound()
        return presentVersion(base, one)
      },
    },
  ]
}

const listAll = async (contents: PackageContents, { owner }: FormatRequest): Promise<ShownVersion[]> =>
  (await listNugetPackages(contents, owner)).flatMap((one) => shownVersions(one))

async function feed(
  { base, query, params }: FormatRequest,
  path: string,
  list: () => Promise<ShownVersion[]>,
): Promise<FormatAnswer> {
  const isShown = parseFilter(query.get('$filter') ?? '')
  const all = (await list()).filter((one) => isShown(one))
  return presentFeed({ base, path: params['count'] === '' ? path : `${path}/$count`, query }, all)
}

const search = (contents: PackageContents, request: FormatRequest): Promise<FormatAnswer> =>
  feed(request, '/Search()', async () => {
    const { owner, query } = request
    const text = textOfLiteral(query.get('searchTerm') ?? '')
    const withPrereleases = query.get('includePrerelease') !== 'false'
    const packages = (await listNugetPackages(contents, owner)).filter((one) => matchesSearch(one, text))
    return packages
      .flatMap((one) => shownVersions(one))
      .filter(({ version }) => withPrereleases || !isPrerelease(version))
  })

/** Clients expect an empty feed for an unknown package. */
const findById = (contents: PackageContents, request: FormatRequest): Promise<FormatAnswer> =>
  feed(request, '/FindPackagesById()', async () => {
    const { owner, query } = request
    const entry = await contents.findPackage(owner, 'nuget', textOfLiteral(query.get('id') ?? ''))
    return entry === undefined ? [] : shownVersions(await readNugetPackage(contents, entry))
  })
