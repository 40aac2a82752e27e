from netsim.workload.netpipe.tool import NetPipe

__all__ = ["NetPipe"]
