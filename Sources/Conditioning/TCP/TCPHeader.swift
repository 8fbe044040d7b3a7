/// What a packet says to the other end.
struct TCPHeader {
}
