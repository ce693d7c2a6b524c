import { errors } from '../../../errors.ts'
import semver from 'semver'
import { badRequest, tooLarge } from '../../../../core/platform/errors.ts'
import { listOf, members, type Members, parseJson, textOf } from '../../../../core/platform/json-members.ts'

const MAX_METADATA = 1024 * 1024
const LENGTH = 4
const NAME = /^[a-z][a-z\d_-]{0,63}$/i

interface CrateUpload<Content> {
  readonly metadata: Members
  readonly content: Content
}

/**
 * Reads the body of `cargo publish`: the length of the metadata (32 bits, little endian), JSON, the length of the
 * crate, and the crate, which is passed to `receive` while it arrives (doc.rust-lang.org, Cargo book, registry web
 * API). Throws BadRequest and TooLarge.
 */
export async function readCrateUpload<Content>(
  body: AsyncIterable<Buffer>,
  receive: (bytes: AsyncIterable<Buffer>) => Promise<Content>,
): Promise<CrateUpload<Content>> {
  const iterator = body[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  const take = async (count: number): Promise<Buffer> => {
    while (rest.length < count) {
      const { value, done } = await iterator.next()
      if (done === true) throw errors.crateIncomplete()
      rest = Buffer.concat([rest, value])
    }
    const taken = rest.subarray(0, count)
    rest = rest.subarray(count)
    return taken
  }
  const length = (await take(LENGTH)).readUInt32LE()
  if (length > MAX_METADATA) throw tooLarge(`the metadata of a crate have at most ${MAX_METADATA} bytes`)
  const parsed = parseJson((await take(length)).toString('utf8'))
  if (parsed === undefined) throw badRequest('the metadata of the crate are not JSON')
  const size = (await take(LENGTH)).readUInt32LE()
  async function* crate(): AsyncGenerator<Buffer> {
    let left = size
    while (left > 0) {
      const bytes = await take(Math.min(Math.max(rest.length, 1), left))
      left -= bytes.length
      yield bytes
    }
  }
  return { metadata: members(parsed.value), content: await receive(crate()) }
}

/** The name of a crate, its version, and the line of the index without its checksum. Throws BadRequest. */
export interface NewCrate {
  readonly name: string
  readonly version: string
  readonly line: Members
  readonly description: string
}

export function readNewCrate(metadata: Members): NewCrate {
  const [name, version] = [textOf(metadata['name']), textOf(metadata['vers'])]
  if (!NAME.test(name)) throw errors.packageNameInvalid()
  if (semver.valid(version) === null || semver.valid(version) !== version.split('+')[0])
    throw errors.packageVersionInvalid()
  const features = Object.entries(members(metadata['features'])).map(
    ([feature, names]) => [feature, listOf(names).map((one) => textOf(one))] as const,
  )
  // NOTE: cargo before 1.60 does not know `dep:` and `?/`: such features are in a member that it ignores.
  const isNew = (names: readonly string[]): boolean => names.some((one) => one.startsWith('dep:') || one.includes('?/'))
  const features2 = features.filter(([, names]) => isNew(names))
  const line = {
    name,
    vers: version,
    deps: listOf(metadata['deps']).map(readDependency),
    features: Object.fromEntries(features.filter(([, names]) => !isNew(names))),
    ...(features2.length > 0 && { features2: Object.fromEntries(features2), v: 2 }),
    ...(textOf(metadata['links']) !== '' && { links: textOf(metadata['links']) }),
    ...(textOf(metadata['rust_version']) !== '' && { rust_version: textOf(metadata['rust_version']) }),
  }
  return { name, version, line, description: textOf(metadata['description'], 4096) }
}

/** In the index a renamed dependency has its new name, and the name of its crate as `package`. */
function readDependency(value: unknown): Members {
  const sent = members(value)
  const renamed = textOf(sent['explicit_name_in_toml'])
  return {
    name: renamed || textOf(sent['name']),
    req: textOf(sent['version_req']),
    features: listOf(sent['features']).map((one) => textOf(one)),
    optional: sent['optional'] === true,
    default_features: sent['default_features'] !== false,
    target: textOf(sent['target']) || null,
    kind: textOf(sent['kind']) || 'normal',
    registry: textOf(sent['registry']) || null,
    ...(renamed !== '' && { package: textOf(sent['name']) }),
  }
}
