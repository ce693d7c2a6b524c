export { createAvatars, type AvatarFile, type AvatarRules, type Avatars } from './avatars.service.ts'
