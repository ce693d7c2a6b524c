import { defineModule } from '../../../core/module.ts'
import { FORMATS } from '../formats/formats.ts'
import { registerFormats } from './registry.routes.ts'

/** The registries of packages, outside of the API. */
export const module = defineModule({
  name: 'registry',
  needs: ['authenticate', 'packageContents'],
  create({ config, database, site, taskPool }, { authenticate, packageContents: contents }) {
    const { packages, service } = config
    return {
      routes(http) {
        if (!packages.enabled) return
        const formats = FORMATS.map((create) => create(contents, { taskPool }))
        const requireSignIn = service.require_signin_view
        registerFormats(http, { authenticate, database, requireSignIn, contents, rootUrl: site.rootUrl }, formats)
      },
    }
  },
})
