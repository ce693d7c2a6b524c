import type { CreateFormat } from '../registry/format.ts'
import { createAlpineFormat } from './alpine/alpine.format.ts'
import { createArchFormat } from './arch/arch.format.ts'
import { createCargoFormat } from './cargo/cargo.format.ts'
import { createChefFormat } from './chef/chef.format.ts'
import { createComposerFormat } from './composer/composer.format.ts'
import { createConanFormat } from './conan/conan.format.ts'
import { createCondaFormat } from './conda/conda.format.ts'
import { createCranFormat } from './cran/cran.format.ts'
import { createDebianFormat } from './debian/debian.format.ts'
import { createGenericFormat } from './generic/generic.format.ts'
import { createGoFormat } from './go/go.format.ts'
import { createHelmFormat } from './helm/helm.format.ts'
import { createMavenFormat } from './maven/maven.format.ts'
import { createNpmFormat } from './npm/npm.format.ts'
import { createNugetFormat } from './nuget/nuget.format.ts'
import { createPubFormat } from './pub/pub.format.ts'
import { createPypiFormat } from './pypi/pypi.format.ts'
import { createRpmFormat } from './rpm/rpm.format.ts'
import { createRubygemsFormat } from './rubygems/rubygems.format.ts'
import { createSwiftFormat } from './swift/swift.format.ts'
import { createTerraformFormat } from './terraform/terraform.format.ts'
import { createVagrantFormat } from './vagrant/vagrant.format.ts'

/** All formats; each is a folder here. */
export const FORMATS: readonly CreateFormat[] = [
  createAlpineFormat,
  createArchFormat,
  createCargoFormat,
  createChefFormat,
  createComposerFormat,
  createConanFormat,
  createCondaFormat,
  createCranFormat,
  createDebianFormat,
  createGenericFormat,
  createGoFormat,
  createHelmFormat,
  createMavenFormat,
  createNpmFormat,
  createNugetFormat,
  createPubFormat,
  createPypiFormat,
  createRpmFormat,
  createRubygemsFormat,
  createSwiftFormat,
  createTerraformFormat,
  createVagrantFormat,
]
