import { defineModule } from '../../../core/module.ts'
import { createVerifier, type Verifier } from './verifier.service.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly verifier: Verifier
  }
}

/** Verification of signatures of commits and tags with the keys of accounts, and resolution of revisions. */
export const module = defineModule({
  name: 'verification',
  needs: ['signer'],
  create({ config, database, clock }, { signer }) {
    const noReplyDomain = config.service.no_reply_address
    return { services: { verifier: createVerifier({ database, clock, noReplyDomain, serverKey: signer }) } }
  },
})
