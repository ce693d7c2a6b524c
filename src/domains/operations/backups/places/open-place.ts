import type { S3Folder } from '../../../../core/blobs/index.ts'
import type { Config } from '../../../../core/config/index.ts'
import { invalid } from '../../../../core/platform/errors.ts'
import { bucketPlace } from './bucket-place.ts'
import { directoryPlace } from './directory-place.ts'
import type { Place } from './place.ts'

/**
 * The place that `[backup]` names; undefined where it is off. Nothing is sent yet. Throws Invalid without directory.
 */
export function openPlace(
  { kind, directory }: Pick<Config['backup'], 'kind' | 'directory'>,
  bucket: S3Folder | undefined,
): Place | undefined {
  if (bucket !== undefined) return bucketPlace(bucket.objects, bucket.prefix, bucket.label)
  if (kind !== 'local') return undefined
  if (directory === '') throw invalid('backup.kind = "local" needs backup.directory')
  return directoryPlace(directory)
}
