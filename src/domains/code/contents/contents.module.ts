import { defineModule } from '../../../core/module.ts'
import { contentsOperations } from './read/contents.operations.ts'
import { createContents, createEntryReader } from './read/contents.service.ts'
import { fileContentsOperations } from './read/file-contents.operations.ts'
import { createFileWriter } from './write/file-writer.service.ts'
import { issueTemplateOperations } from './templates/issue-templates.operations.ts'
import { createIssueTemplates } from './templates/issue-templates.service.ts'
import { createMedia } from './raw/media.service.ts'
import { createRawFiles } from './raw/raw-files.service.ts'
import { rawOperations } from './raw/raw.operations.ts'
import { registerRaw } from './raw/raw.routes.ts'
import { writeContentsOperations } from './write/write-contents.operations.ts'

/** Files and directories of repositories: reading them as models and as raw bytes, changing them by commits. */
export const module = defineModule({
  name: 'contents',
  needs: ['branchWriters', 'commits', 'lfsObjects', 'pushes', 'signer', 'verifier', 'webAccess'],
  create(core, { branchWriters, commits, lfsObjects, pushes, signer, verifier, webAccess }, guards) {
    const { config, database, git, clock, site, taskPool } = core
    const { default_max_blob_size: maxBlobSize, default_max_response_size: maxResponseSize } = config.api
    const contents = createContents({ git, maxBlobSize, maxResponseSize })
    const issueTemplates = createIssueTemplates({ git, taskPool })
    const rawFiles = createRawFiles({ database, git })
    const media = createMedia(lfsObjects)
    const files = createFileWriter({
      branchWriters,
      database,
      git,
      clock,
      pushes,
      reader: createEntryReader(maxBlobSize),
      verifier,
      noReplyDomain: config.service.no_reply_address,
      signer,
      locks: core.processes.locks,
      lfs: config.lfs.enabled ? lfsObjects : undefined,
    })
    return {
      operations: [
        ...contentsOperations({ guards, contents, site }),
        ...fileContentsOperations({ guards, contents, site }),
        ...issueTemplateOperations({ guards, issueTemplates }),
        ...rawOperations({ guards, rawFiles, media }),
        ...writeContentsOperations({ guards, files, site }),
      ],
      routes(http) {
        registerRaw(http, { commits, webAccess, media, rawFiles })
      },
    }
  },
})
