import type { FastifyInstance } from 'fastify'
import type { Site } from '../platform/site.ts'
import { registerUserFiles, type UserFileDeps } from '../subjects/instance/user-files.routes.ts'
import type { WebDoor } from '../subjects/sign-in/web-door.ts'
import { avatarUrl } from '../subjects/users/user.present.ts'

export interface UserFilesDoor extends Omit<UserFileDeps, 'avatarUrl' | 'door'> {
  readonly site: Site
}

export function openUserFiles(
  http: FastifyInstance,
  door: WebDoor,
  { gpgKeys, site, sshKeys, users }: UserFilesDoor,
): void {
  registerUserFiles(http, { door, gpgKeys, sshKeys, users, avatarUrl: (user) => avatarUrl(user, site) })
}
