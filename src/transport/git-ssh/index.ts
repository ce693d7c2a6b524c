export { startSshServer, type SshServer, type SshServerOptions } from './ssh-server.ts'
export type { SshServices } from './session.ts'
