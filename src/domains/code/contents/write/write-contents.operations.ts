import { type RepoUrls, repoUrls } from '../../../../core/access/repo-urls.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import {
  type ApiResponse,
  created,
  ok,
  MAX_BUFFERED_BYTES,
  streamedObject,
} from '../../../../core/http/answer/answer.ts'
import { FILES_BODY_BYTES } from '../../../../core/http/body/limits.ts'
import type { Guard } from '../../../../core/http/guards/guard.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { isDomainError, invalid } from '../../../../core/platform/errors.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { RepoInView } from '../../../repositories/index.ts'
import type { Guards } from '../../../../core/module.ts'
import { decodeBase64 } from './base64.ts'
import type { FileChange, FileOperation, FileOperationKind } from './file-operations.ts'
import {
  ApplyDiffPatchFileOptions,
  ChangeFilesOptions,
  CreateFileOptions,
  DeleteFileOptions,
  FileDeleteResponse,
  type FileOptions,
  FileResponse,
  FilesResponse,
  UpdateFileOptions,
} from '../contents.model.ts'
import { presentCommit, presentFileChange, presentFiles } from './file-change.present.ts'
import { errors } from '../../../errors.ts'
import type { FileChangeResult, FileWriter } from './file-writer.service.ts'
import { createPauses } from '../../../../core/platform/concurrency/pauses.ts'

/** The maximum number of files in one request: the response describes each of them. */
const MAX_FILES = 1000

/**
 * The operations of a request, with their contents decoded. Throws Invalid for more than 1,000 files and for content
 * that is not base64.
 */
async function readOperations(files: ChangeFilesOptions['files']): Promise<FileOperation[]> {
  if (files.length > MAX_FILES) throw invalid(`[Files]: MaxSize: at most ${MAX_FILES} files in one request`)
  const pause = createPauses()
  const operations: FileOperation[] = []
  for (const file of files) {
    operations.push({
      kind: file.operation as FileOperationKind,
      path: file.path,
      fromPath: file.from_path || undefined,
      sha: file.sha,
      content: decodeBase64(file.content ?? ''),
    })
    await pause()
  }
  return operations
}

const PATH = '/repos/{owner}/{repo}/contents'

interface WriteContentsDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly files: FileWriter
  readonly site: Site
}

/** Operations that create, change and delete files (behaviour/git-data-and-transport#writing-contents). */
export const writeContentsOperations = (deps: WriteContentsDeps): Operation[] => [
  ...oneFileOperations(deps),
  ...manyFilesOperations(deps),
]

/** Admits writers, and readers who may write some branch. The body names the branch, so the service checks it again. */
function writersOf({ guards, files }: WriteContentsDeps): Guard<RepoInView> {
  const options = {
    unit: 'repo.code',
    refusal: errors.branchWriteRequired.message,
    archived: 'refuse-before-sign-in',
    mirror: 'refuse',
    whenLocked: errors.repoNotEditable,
    needsUser: true,
  } as const
  const [writers, readers] = [guards.repo('write', options), guards.repo('read', options)]
  return {
    ...writers,
    async resolve(input) {
      try {
        return await writers.resolve(input)
      } catch (error) {
        if (!isDomainError(error) || error.kind !== 'forbidden') throw error
        const found = await readers.resolve(input)
        if (await files.mayWrite(input.viewer as SignedIn, found)) return found
        throw error
      }
    },
  }
}

const commonOf = (deps: WriteContentsDeps) =>
  ({
    area: 'repository',
    scopes: ['repository'],
    guard: writersOf(deps),
    errors: [401, 403, 404, 413, 422, 423],
  }) as const

function oneFileOperations(deps: WriteContentsDeps): Operation[] {
  const { files, site } = deps
  const common = commonOf(deps)
  return [
    defineOperation({
      ...common,
      id: 'repoCreateFile',
      method: 'POST',
      path: `${PATH}/{filepath*}`,
      summary: 'Create a file',
      body: CreateFileOptions,
      bodyLimit: FILES_BODY_BYTES,
      responses: { 201: FileResponse },
      async handler({ access, viewer, params, body }) {
        const operation: FileOperation = {
          kind: 'create',
          path: params.filepath,
          content: decodeBase64(body.content ?? ''),
        }
        return created(
          presentFileChange(
            await files.change(viewer as SignedIn, access, changeOf(body, [operation])),
            repoUrls(access.repo, site),
          ),
        )
      },
    }),
    defineOperation({
      ...common,
      id: 'repoUpdateFile',
      method: 'PUT',
      path: `${PATH}/{filepath*}`,
      summary: 'Change or move a file; without a sha, create it',
      body: UpdateFileOptions,
      bodyLimit: FILES_BODY_BYTES,
      responses: { 200: FileResponse, 201: FileResponse },
      async handler({ access, viewer, params, body }) {
        const kind = body.sha || body.from_path ? 'update' : 'create'
        const operation: FileOperation = {
          kind,
          path: params.filepath,
          fromPath: body.from_path || undefined,
          sha: body.sha,
          content: decodeBase64(body.content ?? ''),
        }
        const result = presentFileChange(
          await files.change(viewer as SignedIn, access, changeOf(body, [operation])),
          repoUrls(access.repo, site),
        )
        return kind === 'create' ? created(result) : ok(result)
      },
    }),
    defineOperation({
      ...common,
      id: 'repoDeleteFile',
      method: 'DELETE',
      path: `${PATH}/{filepath*}`,
      summary: 'Delete a file',
      body: DeleteFileOptions,
      responses: { 200: FileDeleteResponse },
      async handler({ access, viewer, params, body }) {
        const operation: FileOperation = { kind: 'delete', path: params.filepath, sha: body.sha }
        return ok(
          presentFileChange(
            await files.change(viewer as SignedIn, access, changeOf(body, [operation])),
            repoUrls(access.repo, site),
          ),
        )
      },
    }),
  ]
}

function manyFilesOperations(deps: WriteContentsDeps): Operation[] {
  const { files, site } = deps
  const common = commonOf(deps)
  return [
    defineOperation({
      ...common,
      id: 'repoChangeFiles',
      method: 'POST',
      path: PATH,
      summary: 'Change several files in one commit',
      body: ChangeFilesOptions,
      bodyLimit: FILES_BODY_BYTES,
      responses: { 201: FilesResponse },
      async handler({ access, viewer, body }) {
        const operations = await readOperations(body.files)
        const result = await files.change(viewer as SignedIn, access, changeOf(body, operations))
        return responseOf(result, repoUrls(access.repo, site))
      },
    }),
    defineOperation({
      ...common,
      id: 'repoApplyDiffPatch',
      method: 'POST',
      path: '/repos/{owner}/{repo}/diffpatch',
      summary: 'Apply a diff as a commit',
      body: ApplyDiffPatchFileOptions,
      bodyLimit: FILES_BODY_BYTES,
      responses: { 201: FileResponse },
      async handler({ access, viewer, body }) {
        const change = { ...changeOf(body, []), patch: Buffer.from(body.content) }
        return created(
          presentFileChange(await files.change(viewer as SignedIn, access, change), repoUrls(access.repo, site)),
        )
      },
    }),
  ]
}

/** The response to a change of several files. */
function responseOf(result: FileChangeResult, urls: RepoUrls): ApiResponse {
  const [files, others] = [presentFiles(result, urls), presentCommit(result, urls)]
  const size = result.entries.reduce((sum, entry) => sum + (entry?.content?.length ?? 0), 0)
  return size > MAX_BUFFERED_BYTES
    ? streamedObject('files', files, others, 201)
    : created({ files: [...files], ...others })
}

function changeOf(options: FileOptions, operations: readonly FileOperation[]): FileChange {
  const { branch, new_branch: newBranch, message, author, committer, dates, signoff } = options
  return {
    operations,
    branch,
    newBranch,
    message,
    author,
    committer,
    authorDate: dates?.author,
    committerDate: dates?.committer,
    signoff,
    force: options.force_push ?? options.force_overwrite_new_branch,
  }
}
