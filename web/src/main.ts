import '@fontsource/barlow/latin-400.css';
import '@fontsource/barlow/latin-500.css';
import '@fontsource/barlow/latin-600.css';
import '@fontsource/barlow-condensed/latin-500.css';
import '@fontsource/barlow-condensed/latin-600.css';
import '@fontsource/barlow-condensed/latin-700.css';
import './app.css';
import { mount } from 'svelte';
import App from './App.svelte';
import { startHost } from './lib/host.svelte';
import { words } from './lib/i18n/index.svelte';
import { router } from './lib/router.svelte';

router.start();
void startHost();
await words.start();
mount(App, { target: document.getElementById('app')! });
