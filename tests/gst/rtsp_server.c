/*
 * rtsp_server PORT: a test picture at rtsp://127.0.0.1:PORT/test, for tests of saccade send. Port 0
 * is any free one; the port is the only line on standard output.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <gst/gst.h>
#include <gst/rtsp-server/rtsp-server.h>
#include <stdio.h>

#define PICTURE                                                                                    \
    "( videotestsrc is-live=true pattern=ball ! video/x-raw, format=I420, width=160, "             \
    "height=120, framerate=25/1 ! jpegenc ! rtpjpegpay name=pay0 pt=26 )"

int main(int argc, char **argv)
{
    gst_init(NULL, NULL);
    GstRTSPServer *server = gst_rtsp_server_new();
    GstRTSPMediaFactory *factory = gst_rtsp_media_factory_new();
    GstRTSPMountPoints *mounts = gst_rtsp_server_get_mount_points(server);
    gst_rtsp_media_factory_set_launch(factory, PICTURE);
    gst_rtsp_mount_points_add_factory(mounts, "/test", factory);
    gst_rtsp_server_set_address(server, "127.0.0.1");
    gst_rtsp_server_set_service(server, argc > 1 ? argv[1] : "0");
    if (!gst_rtsp_server_attach(server, NULL))
        return 1;
    printf("%d\n", gst_rtsp_server_get_bound_port(server));
    fflush(stdout);
    g_main_loop_run(g_main_loop_new(NULL, FALSE)); /* until it is killed */
}
