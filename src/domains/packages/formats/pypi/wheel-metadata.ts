import { eq, valid } from '@renovatebot/pep440'
import { badRequest, isDomainError } from '../../../../core/platform/errors.ts'
import type { PackageContents } from '../../packages/package-contents.service.ts'
import { readZip } from '../../registry/archives/zip.ts'

const METADATA = /^[^/]+\.dist-info\/METADATA$/
const MAX_METADATA = 2 * 1024 * 1024

/** Names that differ by case or by the signs between words are equal (PEP 503). */
export const normalized = (name: string): string => name.replaceAll(/[-_.]+/g, '-').toLowerCase()

/** The metadata of a wheel; undefined of a file that has none, or more than one. */
export async function readWheelMetadata(
  contents: PackageContents,
  file: { readonly sha256: string; readonly size: number },
): Promise<Buffer | undefined> {
  try {
    return await readZip(contents, file, async ({ entries, read }) => {
      const [only, ...more] = entries.filter(({ name }) => METADATA.test(name))
      return only === undefined || more.length > 0 ? undefined : read(only.name, MAX_METADATA)
    })
  } catch (error) {
    if (isDomainError(error, 'bad-request')) return undefined
    throw error
  }
}

/** Throws BadRequest for metadata of another project or version. */
export function requireMetadataOf(metadata: Buffer, sent: { readonly name: string; readonly version: string }): void {
  const [head = ''] = metadata.toString('utf8').replaceAll('\r\n', '\n').split('\n\n', 1)
  const field = (name: string): string => new RegExp(`^${name}:(.*)$`, 'im').exec(head)?.[1]?.trim() ?? ''
  const [name, version] = [field('Name'), field('Version')]
  const isVersion = valid(version) !== null && eq(version, sent.version)
  if (normalized(name) !== normalized(sent.name) || !isVersion)
    throw badRequest(`the metadata of the wheel are of ${name.slice(0, 200)} ${version.slice(0, 200)}`)
}
