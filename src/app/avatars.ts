import { join } from 'node:path'
import { createFileBlobs } from '../blobs/index.ts'
import type { Config } from '../config/index.ts'
import type { Database } from '../db/database.ts'
import type { Clock } from '../platform/clock.ts'
import { type Avatars, createAvatars } from '../subjects/avatars/avatars.service.ts'

interface AvatarServiceDeps {
  readonly config: Config
  readonly database: Database
  readonly clock: Clock
  readonly dataDir: string
  readonly isServer: boolean
}

export async function createAvatarServices({
  config,
  database,
  clock,
  dataDir,
  isServer,
}: AvatarServiceDeps): Promise<{ readonly avatars: Avatars }> {
  const { picture } = config
  const rules = {
    maxWidth: picture.avatar_max_width,
    maxHeight: picture.avatar_max_height,
    maxBytes: picture.avatar_max_file_size,
    maxKeptBytes: picture.avatar_max_origin_size,
    side: picture.avatar_rendered_size,
  }
  return {
    avatars: createAvatars({
      database,
      clock,
      blobs: await createFileBlobs(join(dataDir, 'blobs', 'avatars'), { emptyUploads: isServer }),
      rules,
    }),
  }
}
