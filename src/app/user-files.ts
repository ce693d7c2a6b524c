import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/index.ts'
import type { Site } from '../present/site.ts'
import { avatarUrl } from '../present/user.present.ts'
import { registerUserFiles, type UserFileDeps } from '../transport/user-files/index.ts'

export interface UserFilesDoor extends Omit<UserFileDeps, 'avatarUrl' | 'requireSignIn'> {
  readonly config: Config
  readonly site: Site
}

export function openUserFiles(http: FastifyInstance, { authenticate, config, gpgKeys, site, sshKeys, users }: UserFilesDoor): void {
  const requireSignIn = config.service.require_signin_view
  registerUserFiles(http, { authenticate, gpgKeys, sshKeys, users, avatarUrl: (user) => avatarUrl(user, site), requireSignIn })
}
