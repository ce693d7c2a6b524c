import type { FastifyInstance } from 'fastify'
import type { Core, Services } from '../../../../core/module.ts'
import type { BlobStore } from '../../../../core/blobs/index.ts'
import { createArtifactFiles } from '../artifacts/artifact-files.service.ts'
import { createArtifactUploads } from '../artifacts/artifact-uploads.service.ts'
import type { Artifacts } from '../artifacts/artifacts.service.ts'
import { createSignedLinks } from '../artifacts/signed-links.ts'
import { createCaches } from '../caches/caches.service.ts'
import { createUploads } from '../artifacts/uploads/uploads.service.ts'
import type { TaskTokens } from '../runs/task-tokens.ts'
import type { StepSummaries } from '../summaries/summaries.service.ts'
import type { StoredBytes } from '../stored-blocks/stored-bytes.ts'
import type { StoredFiles } from '../stored-files.ts'
import { registerArtifactsV3 } from './artifacts-v3.routes.ts'
import { registerArtifactsV4 } from './artifacts-v4.routes.ts'
import { registerCaches } from './caches.routes.ts'
import { registerSummaries } from './summaries.routes.ts'

interface ResultDeps {
  readonly blobs: BlobStore
  readonly stored: StoredBytes
  readonly quota: Services['quota']
  readonly files: StoredFiles
  readonly artifacts: Artifacts
  readonly summaries: Pick<StepSummaries, 'put'>
  readonly tokens: Pick<TaskTokens, 'findTask'>
  readonly retentionMs: number
  /** Bytes of the caches of one repository. */
  readonly cacheBytes: number
}

const MAX_UPLOAD_BYTES = 10 * 1024 ** 3

/** The addresses at which running jobs store and read files (behaviour/actions#artifact-protocols-and-cache). */
export function resultRoutes(
  { database, clock, secrets, site }: Core,
  { blobs, stored, quota, files, artifacts, summaries, tokens, retentionMs, cacheBytes }: ResultDeps,
): (http: FastifyInstance) => void {
  const uploads = createUploads({ database, blobs, clock, quota, files, maxBytes: MAX_UPLOAD_BYTES })
  const artifactUploads = createArtifactUploads({ database, clock, files, uploads, retentionMs })
  const uploadLinks = createSignedLinks({ secrets, clock }, 'action_upload')
  const downloadLinks = createSignedLinks({ secrets, clock }, 'action_artifact.job_download')
  const artifactFiles = createArtifactFiles({ database, clock, files, uploads, retentionMs })
  const caches = createCaches({ database, clock, files, uploads, maxBytes: cacheBytes })
  const cacheLinks = createSignedLinks({ secrets, clock }, 'action_cache.download')
  return (http) => {
    registerCaches(http, { tokens, caches, stored, uploads, uploadLinks, cacheLinks, site })
    registerArtifactsV3(http, { tokens, artifactFiles, stored, site })
    registerArtifactsV4(http, { tokens, artifacts, artifactUploads, stored, uploads, uploadLinks, downloadLinks, site })
    registerSummaries(http, { summaries, tokens })
  }
}
