import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

// One page with lazy routes: the host answers every path outside /api with index.html.
export default defineConfig({
  plugins: [svelte()],
  server: {
    fs: { allow: ['..'] },
    proxy: {
      '/api': { target: process.env.CROUPIER_HOST ?? 'http://127.0.0.1:8080', ws: true },
    },
  },
  build: { target: 'es2022', sourcemap: false, modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
  test: { include: ['src/**/*.test.ts'], environment: 'node' },
});
