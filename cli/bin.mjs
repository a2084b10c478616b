#!/usr/bin/env node
import { launch } from '../core/launch.mjs'

// The reader of a pipe may leave early (`deposit list | head`): that is an end, not a failure.
process.stdout.on('error', (error) => {
  if (error.code === 'EPIPE') process.exit()
})

launch('deposit', () => import('../dist/deposit/main.js'))
