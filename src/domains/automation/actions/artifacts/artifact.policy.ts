import { errors } from '../../../errors.ts'
import { badRequest } from '../../../../core/platform/errors.ts'
import type { Artifact } from './artifact.store.ts'

/** True even before the task has deleted the bytes of an expired artifact. */
export const isExpired = (artifact: Pick<Artifact, 'isExpired' | 'expiresAt'>, now: number): boolean =>
  artifact.isExpired || artifact.expiresAt <= now

const ZIP_TYPE = 'application/zip'

/** The name and the media type of a download. */
export const fileOf = ({ name, mimeType }: Pick<Artifact, 'name' | 'mimeType'>): { fileName: string; type: string } =>
  mimeType === '' ? { fileName: `${name}.zip`, type: ZIP_TYPE } : { fileName: name, type: mimeType }

const NAME_LENGTH = 255

/** The restriction that clients apply: no separators of paths, no characters that file systems refuse. */
// oxlint-disable-next-line no-control-regex
const WRONG_CHARACTERS = /[\x00-\x1f\x7f"*/:<>?\\|]/

/** Throws BadRequest. */
export function requireArtifactName(name: string | undefined): string {
  if (name === undefined || name === '') throw errors.artifactNameRequired()
  if (name.length > NAME_LENGTH) throw badRequest(`[name]: at most ${NAME_LENGTH} characters`)
  if (WRONG_CHARACTERS.test(name) || name === '.' || name === '..' || !name.isWellFormed())
    throw badRequest('[name]: contains a character that names of artifacts must not have')
  return name
}

const PATH_LENGTH = 1024

/** A relative path below the folder of the artifact. Throws BadRequest. */
export function requireFilePath(path: string): void {
  const isAllowed = path
    .split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..' && !WRONG_CHARACTERS.test(part))
  if (!isAllowed || path.length > PATH_LENGTH || !path.isWellFormed())
    throw badRequest(`[itemPath]: a relative path of at most ${PATH_LENGTH} characters`)
}
