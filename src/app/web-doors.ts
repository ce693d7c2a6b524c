import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/index.ts'
import type { Site } from '../platform/site.ts'
import { registerArchives } from '../subjects/archives/archives.routes.ts'
import { registerAttachments } from '../subjects/attachments/attachments.routes.ts'
import type { Attachments } from '../subjects/attachments/attachments.service.ts'
import { registerAvatars } from '../subjects/avatars/avatars.routes.ts'
import type { Avatars } from '../subjects/avatars/avatars.service.ts'
import type { Media } from '../subjects/contents/media.ts'
import { registerRaw } from '../subjects/contents/raw.routes.ts'
import { registerGoGet } from '../subjects/git-http/go-get.routes.ts'
import type { Releases } from '../subjects/releases/releases.service.ts'
import type { Repos } from '../subjects/repos/repos.service.ts'
import type { Authenticate } from '../subjects/sign-in/authenticate.ts'
import { createWebDoor } from '../subjects/sign-in/web-door.ts'
import type { Code } from './code.service.ts'
import { openUserFiles, type UserFilesDoor } from './user-files.ts'

export interface WebDoorsDeps extends UserFilesDoor {
  readonly config: Config
  readonly authenticate: Authenticate
  readonly attachments: Attachments
  readonly avatars: Avatars
  readonly code: Code
  readonly media: Media
  readonly releases: Releases
  readonly repos: Repos
  readonly site: Site
}

/** The addresses outside of the API that answers of the API point to. */
export function openWebDoors(http: FastifyInstance, core: WebDoorsDeps): void {
  const { config, authenticate, repos, ...deps } = core
  const door = createWebDoor({ authenticate, repos, requireSignIn: config.service.require_signin_view })
  registerArchives(http, { ...deps, door })
  registerAttachments(http, { ...deps, door, repos })
  registerAvatars(http, core.avatars)
  registerRaw(http, { ...deps, door })
  openUserFiles(http, door, core)
  registerGoGet(http, {
    repos,
    defaultBranch: config.repository.default_branch,
    cloneBy: config.repository.go_get_clone_url_protocol,
    site: core.site,
  })
}
