import { badRequest } from '../../../../core/platform/errors.ts'

export type Algorithm = 'md5' | 'sha1' | 'sha256' | 'sha512'

/** The metadata of an artifact, which the server makes; the same path may name a group and its plugins. */
interface ArtifactMetadata {
  readonly kind: 'metadata'
  /** `group:artifact`; undefined for a path of one part. */
  readonly artifact: string | undefined
  readonly group: string
}

/** A file of a version. */
export interface MavenFile {
  readonly kind: 'file'
  readonly group: string
  readonly artifact: string
  readonly version: string
  readonly file: string
}

export interface MavenPath {
  readonly target: ArtifactMetadata | MavenFile
  /** The path names this checksum of the target. */
  readonly checksum: Algorithm | undefined
}

const METADATA = 'maven-metadata.xml'
const ID = /^[\w.-]{1,255}$/
/** Neither the signs that are special in files and addresses nor those of ranges of versions. */
const NAME = /^[^\\/:"<>|?*[\](){},\s\p{Cc}]{1,255}$/u
const CHECKSUM = /^(?<file>.+)\.(?<algorithm>md5|sha1|sha256|sha512)$/

export const isSnapshot = (version: string): boolean => version.endsWith('-SNAPSHOT')

/**
 * Reads a path of the layout of repositories (maven.apache.org, repository layout): `group/as/path/artifact/version/file`.
 * Throws BadRequest.
 */
export function parseMavenPath(path: string): MavenPath {
  const parts = path.split('/')
  const last = parts.pop() ?? ''
  const groups = CHECKSUM.exec(last)?.groups
  const checksum = groups?.['algorithm'] as Algorithm | undefined
  const file = groups?.['file'] ?? last
  if (file === METADATA && !isSnapshot(parts.at(-1) ?? '')) return { target: metadataOf(parts), checksum }
  const version = parts.pop() ?? ''
  const artifact = parts.pop() ?? ''
  for (const name of [version, file]) if (!isName(NAME, name)) throw invalid()
  return { target: { kind: 'file', group: groupOf(parts), artifact: idOf(artifact), version, file }, checksum }
}

function metadataOf(parts: readonly string[]): ArtifactMetadata {
  const group = groupOf(parts)
  if (parts.length === 1) return { kind: 'metadata', artifact: undefined, group }
  return { kind: 'metadata', artifact: `${groupOf(parts.slice(0, -1))}:${parts.at(-1)}`, group }
}

function groupOf(parts: readonly string[]): string {
  const group = parts.map((part) => idOf(part)).join('.')
  if (group === '' || group.length > 255) throw invalid()
  return group
}

function idOf(text: string): string {
  if (!isName(ID, text)) throw invalid()
  return text
}

const isName = (pattern: RegExp, text: string): boolean => pattern.test(text) && text !== '.' && text !== '..'

const invalid = () => badRequest('request parameters are invalid')
