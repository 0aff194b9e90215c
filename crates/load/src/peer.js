// A WebSocket server of the package ws that sends one message to everybody when somebody says a word.
const { WebSocketServer } = require('ws');
const message = 'x'.repeat(Number(process.argv[2]));
const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false, backlog: 1024 }, () => {
  const { address, port } = server.address();
  console.log(`${address}:${port}`);
});
server.on('connection', (socket) => {
  socket.on('message', () => {
    for (const client of server.clients) client.send(message);
  });
});
